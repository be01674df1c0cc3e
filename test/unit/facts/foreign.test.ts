// Foreign entries of a node's links: they are read only where they can exist, and never include an entry of a profile.
import t from 'tap';
import { withForeignMarks, withoutListed } from '../../../agent/facts/foreign.ts';
import type { KernelEntries } from '../../../agent/model/kernel-entries.ts';
import type { Link, NetworkManagerFacts } from '../../../agent/model/observation.ts';

const address = (text: string): KernelEntries['addresses'][number] => ({
  address: text,
  metric: null,
  noDad: false,
  deprecated: false,
});
const entries = (...addresses: string[]): KernelEntries => ({
  interface: 'br-ex',
  addresses: addresses.map(address),
  routes: [],
  neighbours: [],
});
const running = (listed: string, stateFlags = 0): NetworkManagerFacts =>
  ({
    profiles: [
      {
        uuid: 'u',
        settings: {
          ipv4: {
            'address-data': ['aa{sv}', [{ address: ['s', listed], prefix: ['u', 32] }]],
            gateway: ['s', '192.0.2.1'],
          },
        },
      },
    ],
    activeConnections: [{ uuid: 'u', devices: ['/1'], stateFlags }],
    devices: [{ path: '/1', interface: 'br-ex' }],
  }) as unknown as NetworkManagerFacts;

t.test('an entry of the running profile is not foreign', async (t) => {
  const foreign = [entries('10.44.0.0/32', '192.0.2.7/32')];
  t.strictSame(withoutListed(foreign, running('192.0.2.7')), [entries('10.44.0.0/32')]);
  t.strictSame(withoutListed([entries('192.0.2.7/32')], running('192.0.2.7')), []);
  const elsewhere = { ...entries('10.88.0.1/16'), interface: 'podman0' };
  t.strictSame(
    withoutListed([elsewhere], running('192.0.2.7')),
    [],
    'entries of an interface that NetworkManager does not manage are left out',
  );
});

t.test(
  'the generated profile of an external device has every route of the device, regardless of its protocol',
  async (t) => {
    const byHand = { destination: '0.0.0.0/0', gateway: '192.0.2.1', protocol: 'boot', table: null };
    const link = { ...entries('192.0.2.7/32'), routes: [byHand] } as unknown as KernelEntries;
    const external = 0x80;
    t.strictSame(withoutListed([link], running('192.0.2.7', external)), []);
    t.match(
      withoutListed([link], running('192.0.2.7')),
      [{ routes: [byHand] }],
      'a route is foreign if the running profile is not the generated one',
    );
  },
);

t.test('addresses of links are marked if they are foreign', async (t) => {
  const link = {
    name: 'br-ex',
    addresses: [
      { address: '10.44.0.0', prefixLength: 32 },
      { address: '192.0.2.50', prefixLength: 24 },
    ],
  };
  const [marked] = withForeignMarks([link as unknown as Link], [entries('10.44.0.0/32')]);
  t.strictSame(
    marked?.addresses.map((entry) => entry.foreign),
    [true, undefined],
  );
});
