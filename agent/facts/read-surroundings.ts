import type { Bus } from '../drivers/dbus/bus-connection.ts';
import { readStackedElsewhere } from '../drivers/host/kernel/network-namespaces.ts';
import type { Link } from '../model/observation.ts';
import type { Surroundings } from '../model/surroundings.ts';
import { askInterfaceZones } from './ask-services.ts';
import { readInterfaceRules } from './read-interface-rules.ts';

/** Value of ARPHRD_ETHER in linux/if_arp.h. */
const ethernet = 1;

/**
 * Reads facts that only a plan that attaches a NIC to a bridge needs. The function starts a process for the packet
 * filter, and one for each network namespace. A namespace may contain a device that is stacked on a link and prevents
 * the link from becoming a port. The namespaces are read only if a link could still become a port.
 */
export async function readSurroundings(links: readonly Link[], bus?: Bus): Promise<Surroundings> {
  const isFree = links.some((link) => link.up && link.hardwareType === ethernet && link.master === null);
  const [stackedElsewhere, interfaceRules, interfaceZones] = await Promise.all([
    isFree ? readStackedElsewhere() : [],
    readInterfaceRules(),
    // The zones of firewalld stay unknown if firewalld does not answer in time; a plan can be made without them.
    askInterfaceZones(bus).catch(() => null),
  ]);
  return {
    ...(stackedElsewhere.length > 0 && { stackedElsewhere }),
    ...(interfaceRules.length > 0 && { interfaceRules }),
    ...(interfaceZones !== null && { interfaceZones }),
  };
}
