import { existsSync, rmSync } from 'node:fs';
import { readSmallFile, replaceFile, writeFileAtomically } from '../drivers/host/files.ts';
import type { ErrorKind } from '../errors.ts';
import { hintedNicPath } from '../facts/hints.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { RunRecord } from '../model/run-record.ts';
import { hintPath } from '../plan/uplink/remembered.ts';

/** The hint as we wrote it, to know it again. */
const ownHintPath = '/var/lib/microshift-net/hint';
/** Gone after a reboot, as what they tell of is. */
export const statusDirectory = '/run/microshift-net';
const statusFile = 'status.json';
const metricsFile = 'metrics.prom';
/** One NIC a line; microshift-net-uplink.service looks whether each is still in its bridge. */
const uplinksFile = 'uplinks';
/** There while a network that comes is what the last run lacked; rpm/files/90-microshift-net.sh starts the unit then (decision 0018). */
const networkMissedFile = 'network-missed';
/** Failures that an address mends. */
const mendedByNetwork: readonly string[] = ['no-uplink', 'activation-timeout'] satisfies readonly ErrorKind[];
/** There while somebody asks for a repair; microshift-net-repair.path waits for it (decision 0017). */
const repairAskedFile = 'repair-asked';
const bootMarkerPath = '/run/microshift-net/boot-done';

/** Remembers the NIC, so that the next boot takes the same one, by its permanent MAC if it has another name then; written only when it changes. */
export function writeHint(plan: Plan, observation: Observation): void {
  const uplink = plan.choice?.interface ?? null;
  if (uplink === null) return;
  const { interfaceHint, hintedNic } = observation.hints;
  if (interfaceHint !== uplink) {
    writeFileAtomically(ownHintPath, `${uplink}\n`);
    writeFileAtomically(hintPath, `${uplink}\n`);
  }
  const permanentMac = observation.links.find((link) => link.name === uplink)?.permanentMac ?? null;
  if (hintedNic?.interface === uplink && hintedNic.permanentMac === permanentMac) return;
  // A device without one (VLAN, bond) is known by its name alone: a note of an earlier NIC must not speak for it.
  if (permanentMac !== null || hintedNic?.interface === uplink)
    writeFileAtomically(hintedNicPath, `${JSON.stringify({ interface: uplink, permanentMac })}\n`);
}

/** Forgets the NIC. The hint is removed if it is the one we wrote; one that the admin has put there asks for something. */
export function removeHint(): void {
  rmSync(hintedNicPath, { force: true });
  const own = readSmallFile(ownHintPath);
  if (own === null) return;
  if (readSmallFile(hintPath) === own) rmSync(hintPath, { force: true });
  rmSync(ownHintPath, { force: true });
}

/** What the run before this one came to; null: there was none in this boot, or what is there is not ours. */
export function readStatus(directory = statusDirectory): RunRecord | null {
  try {
    const record = JSON.parse(readSmallFile(`${directory}/${statusFile}`) ?? 'null') as RunRecord | null;
    return record?.format === 1 ? record : null;
  } catch {
    return null;
  }
}

/** What a run came to, for people, for Prometheus and for who hears of events; every run writes it, so none may wait for a disk. */
export function writeRun(record: RunRecord, metrics: string, directory = statusDirectory): void {
  replaceFile(`${directory}/${statusFile}`, `${JSON.stringify(record)}\n`);
  replaceFile(`${directory}/${metricsFile}`, metrics);
  const uplinks = record.bridges.map(({ uplink }) => (uplink === null ? '' : `${uplink}\n`)).join('');
  replaceFile(`${directory}/${uplinksFile}`, uplinks);
  const missedNetwork = `${directory}/${networkMissedFile}`;
  if (record.error !== null && mendedByNetwork.includes(record.error.kind)) replaceFile(missedNetwork, '');
  else rmSync(missedNetwork, { force: true });
}

/** Before a repair looks at anything: an event from here on asks anew, and another repair follows. */
export function takeRepairRequest(): void {
  rmSync(`${statusDirectory}/${repairAskedFile}`, { force: true });
}

/** True where the units have given NICs back because Open vSwitch stops; they start again when it does. */
export function wasGivenBack(): boolean {
  return existsSync(`${statusDirectory}/given-back`);
}

/** Says that `apply --boot` has ended well in this boot, and when it first did. */
export function writeBootMarker(at: string): void {
  if (readSmallFile(bootMarkerPath) === null) replaceFile(bootMarkerPath, `${at}\n`);
}
