import t from 'tap';
import { lostDefaultRoute } from '../../../agent/compare/default-routes.ts';

const carried = { interface: 'br-ex', from: 'eth0', addresses: [] };
const ipv4 = { family: 4, destination: '0.0.0.0/0', gateway: '192.0.2.1', device: 'br-ex', metric: 48 } as const;
const ipv6 = { family: 6, destination: '::/0', gateway: 'fe80::1', device: 'br-ex', metric: 48 } as const;
const both = { ...carried, defaultGateways: ['192.0.2.1', 'fe80::1'] };

t.equal(lostDefaultRoute(both, [ipv4, ipv6]), null, 'no default route is lost if both exist');
t.equal(lostDefaultRoute(both, [ipv4]), 'IPv6');
t.equal(lostDefaultRoute(both, [ipv6]), 'IPv4');
t.equal(
  lostDefaultRoute(both, [ipv4, { ...ipv6, device: 'eth0' }]),
  'IPv6',
  'a default route on another device counts as lost',
);
t.equal(
  lostDefaultRoute(both, [{ ...ipv4, gateway: '192.0.2.2' }, ipv6]),
  null,
  'a default route to another gateway is not lost, because a new lease can name another one',
);
t.equal(
  lostDefaultRoute({ ...carried, defaultGateways: ['192.0.2.1'] }, [ipv4]),
  null,
  'the node never had the IPv6 default route',
);
t.equal(lostDefaultRoute({ ...carried, defaultGateways: [] }, []), null, 'the node never had a default route');
