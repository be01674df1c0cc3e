import { existsSync, rmSync } from 'node:fs';
import { readSmallFile, replaceFile, writeFileAtomically } from '../../drivers/host/files/files.ts';
import type { ErrorKind } from '../../errors.ts';
import { hintedNicPath } from '../../facts/hints.ts';
import type { Observation } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { identitiesOf } from '../../plan/uplink/recorded-identity.ts';
import { hintPath } from '../../plan/uplink/remembered.ts';

/** Copy of the hint that the agent wrote. If the hint differs from this copy, the administrator wrote it. */
const ownHintPath = '/var/lib/microshift-net/hint';
/** Directory of state that a reboot makes obsolete. */
export const statusDirectory = '/run/microshift-net';
const statusFile = 'status.json';
const metricsFile = 'metrics.prom';
/** File with one NIC per line; microshift-net-uplink.service checks whether each NIC is still in its bridge. */
const uplinksFile = 'uplinks';
/**
 * File that exists if the last run failed with an error that the absence of a network can cause. The dispatcher script
 * rpm/files/90-microshift-net.sh then starts microshift-ovs-init.service when a network appears (decision 0018).
 */
const networkMissedFile = 'network-missed';
/** Kinds of errors that the absence of a network can cause. A later run may succeed when a network has appeared. */
const mendedByNetwork: readonly string[] = ['no-uplink', 'activation-timeout'] satisfies readonly ErrorKind[];
/** File by which an event requests a repair; microshift-net-repair.path waits for it (decision 0017). */
const repairAskedFile = 'repair-asked';
const bootMarkerPath = '/run/microshift-net/boot-done';

/**
 * Writes the hint that names the NIC of br-ex, and a file that records this NIC with its permanent MAC, and the
 * identities of the bridges. At the next boot, br-ex then has the same NIC even if the NIC's name has changed, and
 * requests addresses with the same identity. Writes only files that differ.
 */
export function writeHint(plan: Plan, observation: Observation): void {
  const uplink = plan.choice?.interface ?? null;
  if (uplink === null) return;
  const { interfaceHint, hintedNic } = observation.hints;
  if (interfaceHint !== uplink) {
    writeFileAtomically(ownHintPath, `${uplink}\n`);
    writeFileAtomically(hintPath, `${uplink}\n`);
  }
  const permanentMac = observation.links.find((link) => link.name === uplink)?.permanentMac ?? null;
  const identities = identitiesOf(plan.wanted.bridges, observation);
  // A device without a permanent MAC (VLAN, bond) is identified by its name. A record of an earlier NIC with the same
  // name is overwritten, because it would otherwise be used for this device.
  if (permanentMac === null && identities.length === 0 && hintedNic?.interface !== uplink) return;
  const record = { interface: uplink, permanentMac, ...(identities.length === 0 ? {} : { identities }) };
  const text = `${JSON.stringify(record)}\n`;
  if (readSmallFile(hintedNicPath) !== text) writeFileAtomically(hintedNicPath, text);
}

/**
 * Removes the file that records the NIC of br-ex, and the hint file if the agent wrote it. A hint that the
 * administrator wrote is a setting and stays.
 */
export function removeHint(): void {
  rmSync(hintedNicPath, { force: true });
  const own = readSmallFile(ownHintPath);
  if (own === null) return;
  if (readSmallFile(hintPath) === own) rmSync(hintPath, { force: true });
  rmSync(ownHintPath, { force: true });
}

/**
 * Returns the record of the previous run; null before the first run of this boot, or if the file has another format.
 */
export function readStatus(directory = statusDirectory): RunRecord | null {
  try {
    const record = JSON.parse(readSmallFile(`${directory}/${statusFile}`) ?? 'null') as RunRecord | null;
    return record?.format === 1 ? record : null;
  } catch {
    return null;
  }
}

/**
 * Writes the record of a run: a JSON file, a file for Prometheus, and files for the units that handle events. Every run
 * writes these files, so they are not fsynced.
 */
export function writeRun(record: RunRecord, metrics: string, directory = statusDirectory): void {
  replaceFile(`${directory}/${statusFile}`, `${JSON.stringify(record)}\n`);
  replaceFile(`${directory}/${metricsFile}`, metrics);
  const uplinks = record.bridges.map(({ uplink }) => (uplink === null ? '' : `${uplink}\n`)).join('');
  replaceFile(`${directory}/${uplinksFile}`, uplinks);
  const missedNetwork = `${directory}/${networkMissedFile}`;
  if (record.error !== null && mendedByNetwork.includes(record.error.kind)) replaceFile(missedNetwork, '');
  else rmSync(missedNetwork, { force: true });
}

/**
 * Removes the request for a repair. Has to be called before the repair observes anything, so that a later event causes
 * another repair.
 */
export function takeRepairRequest(): void {
  rmSync(`${statusDirectory}/${repairAskedFile}`, { force: true });
}

/**
 * Returns true if the NICs were returned to their profiles because Open vSwitch was stopped. The next start of Open
 * vSwitch also starts the units that put the NICs into the bridges again.
 */
export function wereNicsReturned(): boolean {
  return existsSync(`${statusDirectory}/given-back`);
}

/** Records the time at which `apply --boot` first succeeded in this boot. */
export function writeBootMarker(at: string): void {
  if (readSmallFile(bootMarkerPath) === null) replaceFile(bootMarkerPath, `${at}\n`);
}
