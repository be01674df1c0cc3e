import { familyOf } from '../net/address.ts';
import { type AddressRange, overlaps, parseRange } from '../net/address-range.ts';
import { interfaceNameFault } from '../net/interface-name.ts';
import { visibleText } from '../printable.ts';
import { cpuListFault } from './cpu-list.ts';
import { fixedRanges, portsFault } from './exposure.ts';
import { rangesFault, rangeTexts, reservedRanges } from './overlay-ranges.ts';
import type { Place } from './ovn-tree.ts';
import type { Problem } from './problem.ts';
import { ovnSpellings } from './settings.ts';
import { lineOf, type SourceText } from './source-text.ts';

/**
 * Returns the problems of a file's settings that a schema cannot express. `settings` contains the settings by their
 * full names.
 */
export function settingProblems(source: SourceText, settings: ReadonlyMap<string, Place>): Problem[] {
  const problems: Problem[] = [];
  const refuse = ({ node }: Place, message: string, hint: string): void => {
    problems.push({ kind: 'config-invalid', source, offset: node.at, message, hint });
  };
  const line = ({ key }: Place): number => lineOf(source, key.at).number;
  const uplink = settings.get('uplink');
  const gateway = settings.get('ovsInit.gatewayInterface');
  const external = settings.get('ovsInit.externalGatewayInterface');
  for (const setting of [gateway, uplink, external]) {
    const fault = setting === undefined ? null : interfaceNameFault(String(setting.value));
    if (setting === undefined || fault === null) continue;
    const message = `${name(setting)} must be the name of an interface: ${fault}`;
    refuse(setting, message, 'write the name as "ip link" shows it');
  }
  // The setting `uplink` permits the words `auto` and `none`; the other two settings that name an interface do not.
  for (const setting of [gateway, external]) {
    if (setting?.value !== 'auto' && setting?.value !== 'none') continue;
    const hint =
      setting === gateway
        ? `write uplink: ${setting.value} at the top level instead`
        : 'name an interface, or remove the line: br-ex1 cannot exist without it';
    refuse(setting, `${name(setting)} must be the name of an interface, not ${setting.value}`, hint);
  }
  for (const spellings of Object.values(ovnSpellings)) {
    const [first, second] = spellings
      .flatMap((spelling) => settings.get(spelling) ?? [])
      .toSorted((a, b) => a.key.at - b.key.at);
    if (first === undefined || second === undefined || first.value === second.value) continue;
    const message = `${said(second)} contradicts ${said(first)} on line ${line(first)}: both are spellings of one setting`;
    refuse(second, message, 'keep one of the two lines');
  }
  const ofBrEx = uplink ?? gateway;
  if (ofBrEx !== undefined && external !== undefined && ofBrEx.value === external.value) {
    const message = `${said(external)} is also the uplink of br-ex, on line ${line(ofBrEx)}: a device can be in one bridge only`;
    refuse(external, message, 'name two devices, or remove one of the two lines');
  }
  const cpus = settings.get('ovs.cpuAffinity');
  const fault = cpus === undefined || cpus.value === 'none' ? null : cpuListFault(String(cpus.value));
  if (cpus !== undefined && fault !== null)
    refuse(cpus, `${name(cpus)} must be a CPU list: ${fault}`, 'write for example cpuAffinity: "0-1,4"');
  refuseOverlay(settings, refuse);
  return problems;
}

const rangeSettings = ['clusterSubnet', 'serviceSubnet', 'joinSubnet'].map((key) => `overlay.${key}`);

/**
 * Refuses addresses, ports and ranges of the overlay that are invalid, and ranges that overlap. The commands of the
 * overlay also compare the ranges with those of MicroShift's own files.
 */
function refuseOverlay(
  settings: ReadonlyMap<string, Place>,
  refuse: (setting: Place, message: string, hint: string) => void,
): void {
  const address = settings.get('overlay.encapAddress');
  if (address !== undefined && address.value !== 'auto' && familyOf(String(address.value)) === null)
    refuse(address, `${said(address)} is not an IP address`, 'write for example encapAddress: 192.0.2.10, or auto');
  const ports = settings.get('overlay.servicePorts');
  const noPorts = ports === undefined ? null : portsFault(String(ports.value));
  if (ports !== undefined && noPorts !== null)
    refuse(ports, `${name(ports)}: ${noPorts}`, 'write for example servicePorts: "80,443"');
  for (const [key, example] of [
    ['externalIPRanges', '192.0.2.192/27'],
    ['outsideClients', '192.0.2.50/32'],
  ] as const) {
    const setting = settings.get(`overlay.${key}`);
    for (const part of setting === undefined ? [] : rangeTexts(String(setting.value))) {
      if (setting === undefined || parseRange(part)?.canonical === true) continue;
      const fault = parseRange(part) === null ? 'is not an address range' : 'has host bits set';
      refuse(setting, `${name(setting)}: "${part}" ${fault}`, `write for example ${key}: ${example}`);
    }
  }
  const fixed = settings.get('overlay.fixedAddressRanges');
  for (const { namespace, range } of fixed === undefined ? [] : fixedRanges(String(fixed.value))) {
    if (fixed === undefined || parseRange(range)?.canonical === true) continue;
    const fault = parseRange(range) === null ? 'is not an address range' : 'has host bits set';
    const hint = `write for example fixedAddressRanges: ${namespace}=10.42.1.64/26`;
    refuse(fixed, `${name(fixed)}: "${range}" ${fault}`, hint);
  }
  const written = rangeSettings.flatMap((key) => settings.get(key) ?? []);
  for (const setting of written) {
    const wrong = rangesFault(String(setting.value));
    if (wrong !== null) refuse(setting, `${name(setting)}: ${wrong}`, 'write for example 10.42.0.0/16');
  }
  const usable = written.filter(({ value }) => rangesFault(String(value)) === null);
  for (const [index, one] of usable.entries()) {
    for (const part of reservedRanges().filter((reserved) => shares(one, reserved.range)))
      refuse(one, `${said(one)} overlaps ${part.name}, ${part.range.text}`, 'choose another range');
    for (const other of usable.slice(index + 1).filter((two) => rangesOf(two).some((range) => shares(one, range))))
      refuse(other, `${said(other)} overlaps ${said(one)}`, 'choose ranges that share no address');
  }
}

function rangesOf(setting: Place): readonly AddressRange[] {
  return rangeTexts(String(setting.value)).flatMap((part) => parseRange(part) ?? []);
}

function shares(setting: Place, range: AddressRange): boolean {
  return rangesOf(setting).some((own) => overlaps(own, range));
}

function name(setting: Place): string {
  return setting.keys.join('.');
}

function said(setting: Place): string {
  return `${name(setting)}: ${visibleText(String(setting.value))}`;
}
