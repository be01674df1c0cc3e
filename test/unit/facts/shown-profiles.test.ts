// Profiles that NetworkManager generates for devices configured by other programs; those of lo and of the taps of
// bridges are ignored.
import t from 'tap';
import { withoutShown } from '../../../agent/facts/shown-profiles.ts';
import type { NetworkManagerFacts } from '../../../agent/model/observation.ts';

const external = 0x80;
const device = (path: string, name: string, type: number) => ({ path, interface: name, type });
const active = (uuid: string, devices: string[], stateFlags: number) => ({ uuid, devices, stateFlags });
const facts = {
  devices: [
    device('/eth0', 'eth0', 1),
    device('/lo', 'lo', 32),
    device('/tap', 'br-ex', 16),
    device('/interface', 'br-ex', 24),
    device('/vpn', 'tun0', 16),
  ],
  activeConnections: [
    active('nic', ['/eth0'], external),
    active('lo', ['/lo'], external),
    active('tap', ['/tap'], external),
    active('own', ['/interface'], external),
    active('vpn', ['/vpn'], external),
  ],
  profiles: ['nic', 'lo', 'tap', 'own', 'vpn', 'idle'].map((uuid) => ({ uuid })),
} as unknown as NetworkManagerFacts;

t.test('profiles that NetworkManager generated for lo and for the tap of a bridge are left out', async (t) => {
  const { activeConnections, profiles, devices } = withoutShown(facts);
  const uuids = ['nic', 'own', 'vpn'];
  t.strictSame(
    activeConnections.map(({ uuid }) => uuid),
    uuids,
  );
  t.strictSame(
    profiles.map(({ uuid }) => uuid),
    [...uuids, 'idle'],
  );
  t.strictSame(devices, facts.devices);
});

t.test('a profile that was activated on such a device by hand stays', async (t) => {
  const started = { ...facts, activeConnections: [active('tap', ['/tap'], 0)] } as unknown as NetworkManagerFacts;
  t.strictSame(withoutShown(started), started);
});
