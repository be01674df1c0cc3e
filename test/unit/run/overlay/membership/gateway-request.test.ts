import t from 'tap';
import { requestOf } from '../../../../../agent/run/overlay/membership/gateway-request.ts';
import { failure } from '../../../failure.ts';

t.test('requests without options, and with all options', (t) => {
  t.strictSame(requestOf({}), {
    bridge: 'br-ex',
    interface: null,
    addresses: 'auto',
    nextHops: 'auto',
    vlan: null,
    subnets: [],
  });
  const options = {
    interface: 'enp129s0f0np0',
    address: '192.0.2.100/24, 2001:DB8::0064/64',
    nextHop: '192.0.2.1,FE80::1',
    vlan: 7,
    subnets: '10.42.1.0/24,10.42.1.0/24,FD01:0:0:1::/64',
    highAvailability: 'vip',
  } as const;
  t.strictSame(requestOf(options), {
    bridge: 'br-gw129s0f0np0',
    interface: 'enp129s0f0np0',
    addresses: ['192.0.2.100/24', '2001:db8::64/64'],
    nextHops: ['192.0.2.1', 'fe80::1'],
    vlan: 7,
    subnets: ['10.42.1.0/24', 'fd01:0:0:1::/64'],
    isVip: true,
  });
  t.end();
});

t.test('invalid values of options', (t) => {
  for (const [options, message] of [
    [{ interface: 'eth1', bridge: 'br-ex' }, /two gateways/],
    [{ interface: 'eth 1' }, /"eth 1" cannot be an interface/],
    [{ bridge: 'br,ex' }, /"br,ex" cannot be/],
    [{ interface: 'averyveryverylongname' }, /cannot be an interface/],
    [{ address: '192.0.2.11' }, /--address "192\.0\.2\.11" is not usable/],
    [{ address: '' }, /--address "" is not usable/],
    [{ nextHop: '192.0.2.1/24' }, /--next-hop "192\.0\.2\.1\/24" is not usable/],
    [{ subnets: '10.42.1.9/24' }, /--subnets "10\.42\.1\.9\/24" is not usable/],
    [{ highAvailability: 'vip' }, /the address that moves between nodes is not known/],
  ] as const)
    t.throws(() => requestOf(options), failure('bad-usage', { message }), String(message));
  t.end();
});
