import { bondsUnder, lostTargets, miimonRemedy } from '../model/bonds.ts';
import { linkKindOf } from '../model/link-kinds.ts';
import type { Link, Observation } from '../model/observation.ts';
import type { Difference, Wanted } from '../model/plan.ts';
import { wayTo } from '../net/way-to.ts';
import { shellWord } from '../printable.ts';

/** Fault of a bond or team, with a remedy for the user, because no run repairs the fault. */
export interface PortFault extends Difference {
  /** Remedy as an imperative sentence without a full stop. */
  readonly remedy: string;
}

/**
 * Returns the faults of the uplinks. An uplink that is not in its bridge is left out. A fault is a bond or team without
 * a working port, or a bond whose monitor cannot work under a bridge. Each bond is the uplink itself or below it; each
 * team is the uplink itself.
 */
export function portFaults({ bridges }: Pick<Wanted, 'bridges'>, observation: Observation): readonly PortFault[] {
  return bridges.flatMap(({ bridge, uplink }) => {
    const row = observation.ovs.bridges.find(({ name }) => name === bridge);
    const isIn = uplink !== null && row?.ports.some(({ name }) => name === uplink.interface) === true;
    return isIn ? faultsOf(uplink.interface, bridge, observation) : [];
  });
}

function faultsOf(uplink: string, bridge: string, observation: Observation): readonly PortFault[] {
  const { links, routes } = observation;
  const bonds = bondsUnder(uplink, links);
  const teams = links.filter((link) => link.name === uplink && linkKindOf(link, observation) === 'team');
  const monitors = bonds.flatMap((bond): readonly PortFault[] => {
    const lost = lostTargets(bond, uplink, bridge, links, (address) => wayTo(address, routes));
    if (lost === null) return [];
    const failures = bond.bond.ports.map(({ name, failures }) => `${name} ${failures}`).join(', ');
    return [
      {
        subject: `monitor of ${bond.name}`,
        wanted: 'miimon',
        observed: `ARP, with no way to ${lost.join(', ')} from under ${bridge} (failures: ${failures})`,
        remedy: miimonRemedy(bond.name, observation, shellWord),
      },
    ];
  });
  const silent = [...bonds.filter((bond) => !hasWorkingPort(bond)), ...teams.filter(({ carrier }) => !carrier)];
  return [
    ...monitors,
    ...silent.map(({ name }) => ({
      subject: `working port of ${name}`,
      wanted: 'present',
      observed: 'absent',
      remedy: `look at the cables and switch ports of ${name}: ip -d link show master ${name}`,
    })),
  ];
}

/**
 * Returns true if the monitor of a bond considers one of its ports working. In a mode with one active port, the bond
 * must also have selected a port.
 */
export function hasWorkingPort({ bond }: Pick<Link, 'bond'>): boolean {
  if (bond === undefined) return false;
  const needsActive = ['active-backup', 'balance-tlb', 'balance-alb'].includes(bond.mode);
  return bond.ports.some(({ isWorking }) => isWorking) && !(needsActive && bond.activePort === null);
}
