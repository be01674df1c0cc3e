import type { OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import { isIpv6, isWithin, sameFamily, subnetOf, withoutLength } from '../addresses.ts';
import { nodeAddresses } from '../node-ports.ts';
import { is, keys, only } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';

const families = [
  { isSix: false, word: 'v4', everything: '0.0.0.0/0' },
  { isSix: true, word: 'v6', everything: '::/0' },
] as const;

/**
 * Plans NAT rows of a gateway router for packets that come from outside and go to servers whose answers would not
 * return to this gateway. The rows replace the source by an address of the gateway, so that the answers return to it:
 *
 * - Pods of other nodes, and pods of the gateway's own node if their subnet was requested for another gateway, get
 *   packets from the gateway's address on the join switch.
 * - Hosts of the gateway's LAN and other nodes, such as a node with a server in its host network, get packets from the
 *   gateway's address on the LAN. Their answers would otherwise go to the client directly, from another address than
 *   the one to which the client sends.
 *
 * `options:lb_force_snat_ip` (ovn-nb(5), Logical_Router) does the same, but only for the first packet of a connection
 * and for the packets after the first answer. It does not apply to packets in between, such as a repeated SYN or the
 * second datagram of a UDP client. For ovn-northd's flows such a packet begins a connection, but its destination is
 * already the server, and the flows match `ct.new` with the service's address (northd.c; OVN 23.03 and 26.03). Without
 * the NAT rows, the packet would reach the server with another source address than the first packet. The NAT rows match
 * addresses only. They therefore apply to these packets as well, which get the same translation as the first packet.
 *
 * All other pods of the gateway's own node need no such row, because their answers leave by this gateway. These pods
 * see the client's address if `externalTrafficPolicy` is Local.
 */
export function addBalancedSources(
  desired: DesiredRows,
  nodes: readonly OverlayNode[],
  own: Pick<OverlayNode, 'name' | 'subnets'>,
  gateway: Pick<OverlayGateway, 'addresses'>,
  router: PlannedRow,
  joinAddresses: readonly string[],
): void {
  const led = nodes.flatMap(({ name, gateway }) => (name === own.name ? [] : (gateway?.subnets ?? [])));
  const pods = nodes.flatMap(({ name, subnets }) =>
    subnets.filter((subnet) => name !== own.name || led.includes(subnet)),
  );
  for (const { isSix, word, everything } of families) {
    const add = (set: string, what: string, servers: readonly string[], external: string | null): void => {
      const addresses = servers.filter((server) => isIpv6(server) === isSix);
      if (addresses.length === 0 || external === null) return;
      // The name of a set cannot contain a hyphen (ovn-nb(5), Address_Set), so hyphens of a node name become
      // underscores. Node names contain no underscores themselves, so no two nodes have the same set.
      const name = `${set}_${own.name.replaceAll('-', '_')}_${word}`;
      const row = desired.add({
        table: 'Address_Set',
        title: `${what} that do not answer by ${router.title}, ${word}`,
        existing: desired.existing.named('Address_Set', name),
        columns: { name: is(name), addresses: only(addresses), external_ids: keys({ 'ip-family': word }) },
        node: own.name,
        why: `answers of these ${what} have to return to the gateway that forwarded the request`,
      });
      addNamelessRow(desired, {
        table: 'NAT',
        title: `${router.title}: from outside to ${what} that do not answer by it, ${word}`,
        holder: router,
        column: 'nat',
        key: { type: 'snat', logical_ip: everything, external_ip: withoutLength(external) },
        columns: { allowed_ext_ips: is([row.reference]) },
        node: own.name,
        why: `these ${what} send their answers to the gateway that forwarded the request`,
      });
    };
    add('beyond', 'pods', pods, sameFamily(joinAddresses, everything));
    add('beside', 'hosts', hostsBeside(nodes, gateway.addresses), sameFamily(gateway.addresses, everything));
  }
}

/**
 * Returns the subnets of a gateway's LAN, and the addresses of nodes outside of these subnets, each once. Some of the
 * addresses are claims of members, which may be false. A false claim does no harm: an address has an effect only if a
 * service has a server there, and the effect is that the server sees the gateway as the client.
 */
function hostsBeside(nodes: readonly OverlayNode[], addresses: readonly string[]): readonly string[] {
  const subnets = addresses.map(subnetOf);
  const others = nodes
    .flatMap((node) => [...nodeAddresses(node), ...(node.furtherAddresses ?? [])])
    .filter((address) => !subnets.some((subnet) => isWithin(address, subnet)));
  return [...new Set([...subnets, ...others])];
}
