import { AgentError } from '../../errors.ts';
import { blocksLinkBelow, linkKindOf, traitsOf } from '../../model/link-kinds.ts';
import type { Link, Observation } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { shellWord } from '../../printable.ts';

/*
 * Devices that are stacked on a NIC. VLANs receive their frames although the NIC is in a bridge. A macvlan, ipvlan or
 * MACsec device occupies the receive handler that an Open vSwitch bridge needs, so the kernel refuses with EBUSY to add
 * the NIC to the bridge (Linux net/core/dev.c, netdev_rx_handler_register).
 */

/** Fails with `interface-unsuitable` if a device that is stacked on a NIC prevents Open vSwitch from adding the NIC. */
export function refuseStacked(link: Link, observation: Observation): void {
  const [here] = blockers(link, observation);
  const [elsewhere] = (observation.stackedElsewhere ?? []).filter(
    ({ parentIndex, kind }) => parentIndex === link.index && blocksLinkBelow(kind),
  );
  const found = here ?? elsewhere;
  if (found === undefined) return;
  const { name, kind, namespace } = { namespace: null, ...found };
  const where = namespace === null ? '' : ` in the network namespace ${namespace}`;
  const enter = namespace === null ? '' : `nsenter --net=${shellWord(namespace)} `;
  throw new AgentError(
    'interface-unsuitable',
    `${link.name} has the ${kind} device ${name}${where} on it, which receives its frames, so Open vSwitch cannot carry it`,
    {
      hint: `stop what uses ${name} and remove it (${enter}ip link delete ${shellWord(name)}), let it use another NIC, or name another uplink; on br-ex it can be made again`,
      facts: { interface: link.name, stacked: name, kind, namespace },
    },
  );
}

/**
 * Returns notes about tunnels that are bound to the NIC. After the move, the routes that these tunnels use are on the
 * bridge, so the tunnels no longer work.
 */
export function stackedNotes(link: Link, bridge: string, observation: Observation): readonly PlanNote[] {
  const silent = observation.links.filter(
    (upper) =>
      (link.uppers?.includes(upper.name) === true || upper.parentIndex === link.index) &&
      traitsOf(linkKindOf(upper, observation)).onUplink === 'silent',
  );
  return silent.map(({ name }) => ({
    level: 'warning',
    message: `the tunnel ${name} is bound to ${link.name} and sends nothing once the routes are on ${bridge}: make it without a device, or with ${bridge}`,
  }));
}

/**
 * Returns the devices of this network namespace that are stacked on a NIC and prevent Open vSwitch from adding it. A
 * device is found by its name, because the index of a parent may be that of a link in another namespace.
 */
function blockers(link: Link, observation: Observation): readonly { readonly name: string; readonly kind: string }[] {
  const uppers = observation.links.filter(({ name }) => link.uppers?.includes(name) === true);
  return uppers.flatMap((upper) => {
    const kind = linkKindOf(upper, observation);
    return kind !== null && blocksLinkBelow(kind) ? [{ name: upper.name, kind }] : [];
  });
}
