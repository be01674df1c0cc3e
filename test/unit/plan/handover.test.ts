// Addresses that NetworkManager adds to a NIC because of the NIC's profile.
import t from 'tap';
import { profileAddresses } from '../../../agent/plan/bridge/handover.ts';
import { readCase } from './cases.ts';

const [link] = readCase('dhcp').observation.links.filter(({ name }) => name === 'eth0');
const ipv4 = (method: string, addresses: readonly string[] = []) => ({
  ipv4: {
    method: ['s', method] as const,
    'address-data': ['aa{sv}', addresses.map((address) => ({ address: ['s', address], prefix: ['u', 24] }))] as const,
  },
});

t.test('an address belongs to the profile if its method can add it', (t) => {
  if (link === undefined) throw new Error('there is no eth0');
  t.strictSame(profileAddresses(link, ipv4('auto')), ['192.0.2.50/24']);
  t.strictSame(profileAddresses(link, ipv4('manual', ['192.0.2.50'])), ['192.0.2.50/24']);
  t.strictSame(
    profileAddresses(link, ipv4('manual', ['192.0.2.60'])),
    [],
    'an address of another program does not belong to the profile',
  );
  t.strictSame(profileAddresses(link, ipv4('disabled')), []);
  t.strictSame(profileAddresses(link, ipv4('link-local')), []);
  t.strictSame(profileAddresses(link, null), ['192.0.2.50/24'], 'every address belongs to an unknown profile');
  t.end();
});
