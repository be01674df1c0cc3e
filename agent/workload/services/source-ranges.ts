import type { RowReference } from '../../model/rows.ts';
import type { Protocol, Service } from '../../model/workload.ts';
import { isIpv6 } from '../../overlay/addresses.ts';
import { gatewayNames, nodeNames } from '../../overlay/overlay-names.ts';
import { is, keys, only } from '../../overlay/rows/column-changes.ts';
import { textOf } from '../../overlay/rows/row-index.ts';
import type { ObjectPlanner } from '../part.ts';
import type { Outside } from './outside.ts';

/**
 * Priorities of the ACLs, below those against forged sources (agent/overlay/rows/acl-priorities.ts). ACLs of network
 * policies are in later stages.
 */
const priorities = { permitted: 1005, others: 1004 } as const;

/** Address of a load balancer, and the ports of one protocol at which only some clients are permitted. */
interface Restricted {
  readonly address: string;
  readonly protocol: Protocol;
  readonly ports: readonly number[];
  /** Ranges of the permitted clients, all of the same family as the address of the load balancer. */
  readonly permitted: readonly string[];
}

/**
 * Returns the ranges of the clients that are permitted at an address of a service; null if every client is permitted.
 * The ranges concern only addresses of the load balancer, and not cluster IPs and NodePorts (Kubernetes API,
 * ServiceSpec). No client is permitted at an address in whose family the service has no range.
 */
export function permittedAt({ sourceRanges, loadBalancerIPs }: Service, address: string): readonly string[] | null {
  if (sourceRanges === undefined || !loadBalancerIPs.includes(address)) return null;
  const own = sourceRanges.filter((range) => isIpv6(range) === isIpv6(address));
  return own.some((range) => range.endsWith('/0')) ? null : own;
}

/**
 * Plans ACLs that drop packets to the load balancer of a service if they come from clients outside of its source
 * ranges. The ACLs are in a port group with one port of each switch that packets of clients enter first: each node's
 * switch, and the outside switch of each gateway that shares its address with no other gateway. The ACLs match before
 * load balancing, on the address to which the client sends. On outside switches the ACLs are stateless, so a client
 * loses its existing connections when it loses its permission. Permitted clients have an ACL of their own, with a
 * higher priority: the flows for `ip4.src != {…}` would be as many as the product of the prefix lengths.
 */
export function addSourceRanges(planner: ObjectPlanner, service: Service, outside: Outside): void {
  const restricted = restrictedOf(service, outside);
  if (restricted.length === 0) return;
  const owner = `${service.namespace}/${service.name}`;
  const { existing } = planner.desired;
  const name = `Service_${owner}_clients`;
  const tags = keys({ 'k8s.ovn.org/kind': 'Service', 'k8s.ovn.org/owner': owner });
  const group = planner.add({
    table: 'Port_Group',
    title: name,
    existing: existing.named('Port_Group', name),
    columns: { name: is(name), ports: only(portsOf(planner)), external_ids: tags },
    why: `packets of clients for service ${owner} enter on these switches`,
  });
  const known = new Map(
    existing
      .ofObject(`service:${owner}`)
      .flatMap(({ table, row }) =>
        table === 'ACL' && existing.parentOf(row)?.row === group.existing ? [[textOf(row, 'match'), row] as const] : [],
      ),
  );
  const add = (match: string, action: 'allow' | 'drop', priority: number, why: string): void => {
    planner.add({
      table: 'ACL',
      title: `${name}: ${match}`,
      existing: known.get(match) ?? null,
      columns: {
        direction: is('from-lport'),
        priority: is(priority),
        action: is(action),
        match: is(match),
        external_ids: tags,
      },
      place: { row: group, column: 'acls' },
      why,
    });
  };
  for (const { address, protocol, ports, permitted } of restricted) {
    const family = isIpv6(address) ? 'ip6' : 'ip4';
    const to = `${family}.dst == ${address} && ${protocol.toLowerCase()}.dst == {${ports.join(', ')}}`;
    if (permitted.length > 0)
      add(
        `${to} && ${family}.src == {${permitted.join(', ')}}`,
        'allow',
        priorities.permitted,
        `spec.loadBalancerSourceRanges of service ${owner} permits these clients`,
      );
    add(to, 'drop', priorities.others, `spec.loadBalancerSourceRanges of service ${owner} permits no other client`);
  }
}

function restrictedOf(service: Service, outside: Outside): readonly Restricted[] {
  const found = new Map<
    string,
    { address: string; protocol: Protocol; ports: number[]; permitted: readonly string[] }
  >();
  for (const port of service.ports)
    for (const { address } of outside.servedAt(service, port)) {
      const permitted = permittedAt(service, address);
      if (permitted === null) continue;
      const key = `${address} ${port.protocol}`;
      const one = found.get(key) ?? { address, protocol: port.protocol, ports: [], permitted };
      one.ports.push(port.port);
      found.set(key, one);
    }
  return [...found.values()].map((one) => ({ ...one, ports: one.ports.toSorted((a, b) => a - b) }));
}

/**
 * Returns one port of each switch. A switch has the ACLs of a group as soon as one of its ports is in the group
 * (ovn-nb(5), Port_Group). A port that does not exist yet is skipped: the daemon plans all services again when it is
 * added, and no gateway has the load balancer before that plan (balancers.ts).
 */
function portsOf({ nodes, desired }: ObjectPlanner): readonly RowReference[] {
  const names = nodes.flatMap(({ name, subnets, gateway }) => [
    ...(subnets.length > 0 ? [nodeNames(name).onSwitch] : []),
    ...(gateway !== null && gateway.isVip !== true ? [gatewayNames(name).onSwitch] : []),
  ]);
  return names.flatMap((name) => desired.existing.named('Logical_Switch_Port', name)?._uuid ?? []);
}
