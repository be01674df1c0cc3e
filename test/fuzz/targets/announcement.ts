// Announcement of a node's gateway, in the southbound database of the central node.
import type { OverlayGateway } from '../../../agent/model/overlay.ts';
import { announcedGateway, announcement } from '../../../agent/overlay/members/announcement.ts';
import { membersNow } from '../../../agent/overlay/members/members.ts';
import { planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import { dual, emptyNorthbound, factsOf, gatewayOf, nodeOf } from '../../unit/overlay/cluster.ts';
import { printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const dedicated = gatewayOf(2, {
  kind: 'dedicated',
  addresses: ['203.0.113.9/24', '2001:db8:7::9/64'],
  nextHops: ['203.0.113.1', 'fe80::1'],
  vlan: 7,
  subnets: ['10.42.1.0/24', 'fd01:0:0:4::/64'],
});
const vip = gatewayOf(2, { mac: '0a:58:c0:00:02:64', addresses: ['192.0.2.100/24'], isVip: true });
const said = (gateway: OverlayGateway): string => ['enable-chassis-as-gw', ...announcement(gateway)].join(',');

export const overlayAnnouncement: FuzzTarget = {
  corpus: () => [gatewayOf(2), dedicated, vip].map((gateway) => Buffer.from(said(gateway))),
  words: [
    ',',
    '=',
    'microshift-net:',
    'kind=shared',
    'vip=yes',
    'address=',
    'subnet=',
    '/0',
    '::',
    '0.0.0.0',
    '10.42.1.0/24',
    '"',
  ],
  form: 'bytes',
  open: () => ({
    feed: (input) => {
      const node = nodeOf(2);
      const chassis = {
        name: node.systemId,
        hostname: node.name,
        encaps: node.encap.addresses.map((address) => ({ address, type: 'geneve', owner: node.systemId })),
        cmsOptions: input.toString(),
        bridgeMappings: 'physnet:br-ex',
      };
      const announced = announcedGateway(chassis, dual);
      // The central node has granted everything that was announced.
      const granted = announced !== null && 'gateway' in announced ? announced.gateway : undefined;
      const member = granted === undefined ? node : { ...node, granted };
      const { nodes, trace, faults } = membersNow(dual, nodeOf(1), [nodeOf(1), member], [chassis]);
      printable([...trace, ...faults].join(' '), 'a message about the announcement');
      // The planner can use an accepted announcement, and the planned rows contain the same announcement.
      const plan = planNorthbound(factsOf(emptyNorthbound().rows(), { layout: dual, nodes }));
      printable(JSON.stringify(plan.changes), 'a row');
      if (announced === null) return 'nothing';
      if ('fault' in announced) return 'a fault';
      const again = announcedGateway({ ...chassis, cmsOptions: said(announced.gateway) }, dual);
      if (JSON.stringify(again) !== JSON.stringify(announced)) throw new Error('it is read in two ways');
      return 'a gateway';
    },
    close: () => undefined,
  }),
};
