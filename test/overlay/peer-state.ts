import type { Host } from './hosts.ts';

const cookie = 'cookie=0x6d6e6f766c79/-1';

/** Returns the rows, the published keys and the flows that a peer may have changed, as text for a comparison. */
export function peerState(central: Host, gateways: readonly Host[]): string {
  const list = (table: string, columns: string): string =>
    central
      .must('ovn-nbctl', '--bare', '--no-headings', `--columns=${columns}`, 'list', table)
      .split('\n')
      .toSorted()
      .join('\n');
  return [
    list('Logical_Router_Static_Route', 'ip_prefix,nexthop'),
    list('Logical_Router_Policy', 'match'),
    list('NAT', 'logical_ip,external_ip'),
    list('Address_Set', 'name'),
    central
      .must('ovn-sbctl', '--bare', '--no-headings', '--columns=external_ids', 'list', 'SB_Global')
      .includes('peers'),
    ...gateways.map((host) => host.must('ovs-ofctl', '--no-stats', 'dump-flows', 'br-ex', cookie)),
  ].join('\n');
}
