import t from 'tap';
import type { PortOptions } from '../../../../../agent/model/overlay-port.ts';
import { portRequestOf } from '../../../../../agent/run/overlay/membership/port-request.ts';

t.test('options of `overlay port add`, as several words or with commas', (t) => {
  t.strictSame(portRequestOf('vm1', { interface: 'tap7' }, 'n1'), {
    name: 'vm1',
    node: 'n1',
    interface: 'tap7',
    vlan: null,
    namespace: 'default',
    labels: {},
    macs: [],
    addresses: [],
  });
  t.strictSame(
    portRequestOf(
      'line',
      {
        interface: 'eth1',
        node: 'n2',
        vlan: 100,
        mac: ['52:54:00:00:00:0A, 52:54:00:00:00:0b'],
        address: ['10.42.1.9,10.42.1.8', 'FD01::9', 'fd01::8'],
        namespace: 'shop',
        label: ['app=db', 'example.com/tier=', 'a=b'],
      },
      'n1',
    ),
    {
      name: 'line',
      node: 'n2',
      interface: 'eth1',
      vlan: 100,
      namespace: 'shop',
      labels: { app: 'db', 'example.com/tier': '', a: 'b' },
      macs: ['52:54:00:00:00:0a', '52:54:00:00:00:0b'],
      addresses: ['10.42.1.9', '10.42.1.8', 'fd01::9', 'fd01::8'],
    },
  );
  t.end();
});

t.test('words that are not usable', (t) => {
  const macs = Array.from({ length: 65 }, (_, place) => `52:54:00:00:00:${place.toString(16).padStart(2, '0')}`);
  for (const [name, options, message] of [
    ['Vm', {}, /"Vm" cannot be the name of a port/],
    ['vm1', { interface: 'a b' }, /--interface "a b" is not the name/],
    ['vm1', { namespace: 'a/b' }, /--namespace "a\/b" is not the name/],
    ['vm1', { mac: ['52:54'] }, /--mac "52:54" is not usable/],
    ['vm1', { mac: macs }, /vm1 has 65 hosts/],
    ['vm1', { address: ['10.42.1.9/24'] }, /--address "10\.42\.1\.9\/24" is not usable/],
    ['vm1', { label: ['app'] }, /--label "app" is not usable/],
    ['vm1', { label: ['app=a b'] }, /--label "app=a b" is not usable/],
    ['vm1', { label: ['-a=b'] }, /--label "-a=b" is not usable/],
  ] as const satisfies readonly (readonly [string, Partial<PortOptions>, RegExp])[])
    t.throws(() => portRequestOf(name, { interface: 'tap7', ...options }, 'n1'), { kind: 'bad-usage', message });
  t.end();
});
