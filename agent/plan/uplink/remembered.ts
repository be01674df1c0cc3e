import type { ClusterConfig } from '../../model/config.ts';
import { gatewayBridge } from '../../model/names.ts';
import { type Link, nicDevice, type Observation } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { quotedName, shownName, word } from './choice-trace.ts';

/** An interface that a setting, a hint or a service names as the uplink. */
export interface Candidate {
  readonly name: string;
  readonly source: string;
}

export const hintPath = '/var/lib/ovnk/iface_default_hint';
/**
 * File in which a service such as nodeip-configuration.service writes the address that it found for the node: the
 * node-IP hint.
 */
export const nodeIpPath = '/run/nodeip-configuration/primary-ip';

/**
 * Returns the candidates for the uplink of br-ex, in their order of precedence: the device with the address of the
 * node-IP hint, the device with MicroShift's node.nodeIP, the present uplink, and the NIC that the hint file names.
 * Also returns trace lines and notes.
 */
export function rememberedCandidates(
  configured: ClusterConfig['nodeIp'],
  observation: Observation,
): {
  readonly candidates: readonly Candidate[];
  readonly trace: readonly string[];
  readonly notes: readonly PlanNote[];
} {
  const { nodeIp, interfaceHint } = observation.hints;
  const current = uplinkInBridge(gatewayBridge, observation);
  const owner = ownerOf(nodeIp === null || familyOf(nodeIp) === null ? null : canonicalAddress(nodeIp), observation);
  const configuredOwner = ownerOf(configured.value === null ? null : canonicalAddress(configured.value), observation);
  const renamed = interfaceHint === null ? null : newNameOf(interfaceHint, observation);
  const hinted = renamed?.name ?? interfaceHint;
  const unused = nodeIp === null ? null : whyUnused(nodeIp, observation);
  return {
    notes:
      unused === null
        ? []
        : [
            {
              level: 'warning',
              message: `${nodeIpPath} has ${quotedName(nodeIp ?? '')}, which is not used: ${unused}`,
            },
          ],
    candidates: [
      ...(owner === null ? [] : [{ name: owner, source: `node IP hint ${nodeIp}` }]),
      ...(configuredOwner === null
        ? []
        : [{ name: configuredOwner, source: `node.nodeIP ${configured.value} (${configured.source})` }]),
      ...(current === null ? [] : [{ name: current, source: 'the uplink br-ex has now' }]),
      ...(hinted === null ? [] : [{ name: hinted, source: hintPath }]),
    ],
    trace:
      renamed === null || interfaceHint === null
        ? []
        : [
            `hint=${shownName(interfaceHint)} source=${word(hintPath)} permanent-mac=${renamed.permanentMac} verdict=renamed interface=${renamed.name}`,
          ],
  };
}

/** Returns the reason why the text of the node-IP hint cannot identify a device; null if it can. */
function whyUnused(text: string, { links }: Observation): string | null {
  if (familyOf(text) === null) {
    const [address = ''] = text.split('/');
    if (text.includes('/') && familyOf(address) !== null) return `write the address alone: ${address}`;
    const words = text.split(/[\s,;]+/).filter((part) => familyOf(part.split('/')[0] ?? '') !== null);
    return words.length > 1 ? 'it is more than one address' : 'it is not an IP address';
  }
  const address = canonicalAddress(text);
  return links.some(({ addresses }) => addresses.some((entry) => entry.address === address))
    ? null
    : 'no interface has it';
}

/**
 * Returns true if the hint file names this NIC, as after a run that moved the NIC into br-ex, or if the list of the
 * bridges of `bridge add` contains the NIC. A NIC that has already worked as an uplink is not refused at the next boot.
 */
export function wasUplink(name: string, { hints }: Pick<Observation, 'hints'>): boolean {
  return hints.interfaceHint === name || hints.addedBridges?.some((entry) => entry.interface === name) === true;
}

/**
 * Returns the device that has a node address, or the uplink of br-ex if br-ex has the address; null if no device has
 * it. lo and dummy devices do not count, because an address on them has no network behind it.
 */
function ownerOf(address: string | null, observation: Observation): string | null {
  if (address === null) return null;
  const holders = observation.links.filter(
    ({ name, addresses }) =>
      addresses.some((entry) => entry.address === address) &&
      name !== 'lo' &&
      nicDevice(name, observation)?.type !== dummyDevice,
  );
  // If both br-ex and a NIC have the address, the result is the uplink in br-ex, because a run moves the address from
  // the NIC to br-ex.
  const onBridge = holders.some(({ name }) => name === gatewayBridge.bridge);
  return onBridge ? uplinkInBridge(gatewayBridge, observation) : (holders[0]?.name ?? null);
}

/** Value of NMDeviceType for a dummy device. */
const dummyDevice = 22;

/**
 * Returns the NIC that had the given name when it was last the NIC of br-ex, if that NIC has another name now; null
 * otherwise. The NIC is recognized by its permanent MAC. Names change with slots, firmware and kernels, and another NIC
 * may have the old name.
 */
export function newNameOf(name: string, observation: Observation): Link | null {
  const { hintedNic } = observation.hints;
  if (hintedNic == null || hintedNic.interface !== name) return null;
  const holders = observation.links.filter(
    (link) => link.permanentMac?.toUpperCase() === hintedNic.permanentMac.toUpperCase(),
  );
  if (holders.some((link) => link.name === name)) return null;
  // A plain NIC is preferred, because a VLAN or macvlan may have the MAC of the NIC below it.
  return holders.find((link) => link.kind === null) ?? holders[0] ?? null;
}
