import { AgentError } from '../../errors.ts';
import { bondsUnder, lostTargets, miimonRemedy } from '../../model/bonds.ts';
import type { Observation } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { wayTo } from '../../net/way-to.ts';
import { shellWord } from '../../printable.ts';
import type { UplinkSource } from './source-profile.ts';

/*
 * Functions that a bond loses under an Open vSwitch bridge: its ARP monitor, and in mode balance-alb the balancing of
 * received traffic.
 */

/** Fails with `interface-unsuitable` if an uplink sends through a bond whose ARP monitor cannot work under a bridge. */
export function refuseLostMonitor({ link, addressLink }: UplinkSource, observation: Observation): void {
  const [lost] = lostMonitors(link.name, addressLink.name, observation);
  if (lost === undefined) return;
  throw new AgentError(
    'interface-unsuitable',
    `the ARP monitor of ${lost.bond} cannot work under a bridge: the kernel probes ${lost.targets.join(', ')} only while the route there leads to ${lost.bond}, so its ports would fail one after the other`,
    {
      hint: `${miimonRemedy(lost.bond, observation, shellWord)}; then run it again`,
      facts: { interface: link.name, bond: lost.bond, targets: lost.targets },
    },
  );
}

/**
 * Returns notes about the functions that a bond loses in an Open vSwitch bridge. The ARP monitor is among them only for
 * a NIC that was the uplink before. The move of any other NIC would have been refused because of the ARP monitor.
 */
export function monitorNotes({ link }: UplinkSource, bridge: string, observation: Observation): readonly PlanNote[] {
  const monitors = lostMonitors(link.name, bridge, observation).map(
    ({ bond }) =>
      `the ARP monitor of ${bond} cannot work under ${bridge}, and takes its ports for failed: ${miimonRemedy(bond, observation, shellWord)}`,
  );
  const balancing = bondsUnder(link.name, observation.links)
    .filter(({ bond }) => bond.mode === 'balance-alb')
    .map(
      ({ name }) =>
        `${name} (balance-alb) goes on balancing what it sends, and receives everything by one port: the kernel does not rewrite the ARP answers of a bridge (rlb_arp_xmit)`,
    );
  return [...monitors, ...balancing].map((message) => ({ level: 'warning', message }));
}

function lostMonitors(
  uplink: string,
  bridge: string,
  { links, routes }: Observation,
): readonly { readonly bond: string; readonly targets: readonly string[] }[] {
  return bondsUnder(uplink, links).flatMap((bond) => {
    const targets = lostTargets(bond, uplink, bridge, links, (address) => wayTo(address, routes));
    return targets === null ? [] : [{ bond: bond.name, targets }];
  });
}
