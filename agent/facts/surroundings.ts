import { readStackedElsewhere } from '../drivers/host/namespaces.ts';
import type { Link } from '../model/observation.ts';
import type { Surroundings } from '../model/surroundings.ts';
import { readInterfaceRules } from './interface-rules.ts';
import { askInterfaceZones } from './services.ts';

/** ARPHRD_ETHER of linux/if_arp.h. */
const ethernet = 1;

/**
 * What only a plan that puts a NIC into a bridge has to know. To ask costs a process for the packet filter, and one for each network namespace, and
 * those only where a link is in no bridge yet: one that is a port has nobody else's device on it.
 */
export async function readSurroundings(links: readonly Link[]): Promise<Surroundings> {
  const isFree = links.some((link) => link.up && link.hardwareType === ethernet && link.master === null);
  const [stackedElsewhere, interfaceRules, interfaceZones] = await Promise.all([
    isFree ? readStackedElsewhere() : [],
    readInterfaceRules(),
    // What firewalld does not say in time is not known; it is no reason not to plan.
    askInterfaceZones().catch(() => null),
  ]);
  return {
    ...(stackedElsewhere.length > 0 && { stackedElsewhere }),
    ...(interfaceRules.length > 0 && { interfaceRules }),
    ...(interfaceZones !== null && { interfaceZones }),
  };
}
