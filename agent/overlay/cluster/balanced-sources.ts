import type { OverlayNode } from '../../model/overlay.ts';
import { isIpv6, sameFamily, withoutLength } from '../addresses.ts';
import { is, keys, only } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';

const families = [
  { isSix: false, word: 'v4', everything: '0.0.0.0/0' },
  { isSix: true, word: 'v6', everything: '::/0' },
] as const;

/**
 * Plans NAT rows of a gateway router for packets that come from outside and go to pods whose answers would leave by
 * another gateway: pods of other nodes, and pods of the gateway's own node if their subnet was requested for another
 * gateway. The rows replace the source by the gateway's own address, so that the answers return to the gateway.
 *
 * `options:lb_force_snat_ip` (ovn-nb(5), Logical_Router) does the same, but only for the first packet of a connection
 * and for the packets after the first answer. It does not apply to packets in between, such as a repeated SYN or the
 * second datagram of a UDP client. For ovn-northd's flows such a packet begins a connection, but its destination is
 * already the pod, and the flows match `ct.new` with the service's address (northd.c; OVN 23.03 and 26.03). Without the
 * NAT rows, the packet would reach the pod with another source address than the first packet, and its answer would
 * leave by the gateway of the pod's own node. The NAT rows match addresses only. They therefore apply to these packets
 * as well, which get the same translation as the first packet.
 *
 * All other pods of the gateway's own node need no such row, because their answers leave by this gateway. These pods
 * see the client's address if `externalTrafficPolicy` is Local.
 */
export function addBalancedSources(
  desired: DesiredRows,
  nodes: readonly OverlayNode[],
  own: Pick<OverlayNode, 'name' | 'subnets'>,
  router: PlannedRow,
  joinAddresses: readonly string[],
): void {
  const led = nodes.flatMap(({ name, gateway }) => (name === own.name ? [] : (gateway?.subnets ?? [])));
  const beyond = nodes.flatMap(({ name, subnets }) =>
    subnets.filter((subnet) => name !== own.name || led.includes(subnet)),
  );
  for (const { isSix, word, everything } of families) {
    const subnets = beyond.filter((subnet) => isIpv6(subnet) === isSix);
    const external = sameFamily(joinAddresses, everything);
    if (subnets.length === 0 || external === null) continue;
    const name = setName(own.name, word);
    const set = desired.add({
      table: 'Address_Set',
      title: `pods that do not answer by ${router.title}, ${word}`,
      existing: desired.existing.named('Address_Set', name),
      columns: { name: is(name), addresses: only(subnets), external_ids: keys({ 'ip-family': word }) },
      node: own.name,
      why: 'answers of these pods have to return to the gateway that forwarded the request',
    });
    addNamelessRow(desired, {
      table: 'NAT',
      title: `${router.title}: from outside to pods of other nodes, ${word}`,
      holder: router,
      column: 'nat',
      key: { type: 'snat', logical_ip: everything, external_ip: withoutLength(external) },
      columns: { allowed_ext_ips: is([set.reference]) },
      node: own.name,
      why: 'pods of other nodes send their answers to the gateway that forwarded the request',
    });
  }
}

/**
 * Returns the name of the address set, with only the characters that a match permits (ovn-sb(5), expressions). Node
 * names can contain hyphens but no underscores, so no two nodes get the same set.
 */
function setName(node: string, word: string): string {
  return `beyond_${node.replaceAll('-', '_')}_${word}`;
}
