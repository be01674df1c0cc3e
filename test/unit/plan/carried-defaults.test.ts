// Default of NetworkManager's configuration that applies to a NIC (NetworkManager.conf(5), DEVICE LIST FORMAT), and the
// part that the bridge gets.
import t from 'tap';
import type { DefaultsSection } from '../../../agent/model/connection-defaults.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { ProfileSettings } from '../../../agent/model/profile-settings.ts';
import { carriedDefaults, withDefaults } from '../../../agent/plan/uplink/carried-defaults.ts';

const auto: ProfileSettings = { ipv4: { method: ['s', 'auto'] }, ipv6: { method: ['s', 'auto'] } };

function section(
  matchDevice: readonly string[] | null,
  values: Readonly<Record<string, string>>,
  stopMatch = false,
): DefaultsSection {
  const from = (value: string) => ({ value, file: '/etc/NetworkManager/conf.d/20.conf' });
  return {
    section: 'connection-x',
    matchDevice,
    stopMatch,
    values: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, from(value)])),
  };
}

function carried(defaults: readonly DefaultsSection[], settings = auto, version = '1.58.1'): readonly string[] {
  const device = {
    path: '/1',
    interface: 'eth0',
    type: 1,
    driver: 'e1000e',
    hwAddress: '02:00:00:00:00:02',
    permanentHwAddress: '52:54:00:AA:00:00',
  };
  const observation = { networkManager: { version, devices: [device], defaults } } as unknown as Observation;
  return carriedDefaults(settings, 'eth0', 'br-ex', observation).map(({ property, value }) => `${property}=${value}`);
}

t.test('lists of devices', (t) => {
  const isFor = (...specs: string[]): boolean => carried([section(specs, { 'ipv4.dns-priority': '30' })]).length > 0;
  const forNic = [
    'type:ethernet',
    'TYPE:ethernet',
    'interface-name:eth0',
    'interface-name:=eth0',
    'interface-name:eth*',
    'interface-name:~eth?',
    'mac:52:54:00:aa:00:00',
    '52:54:00:AA:00:00',
    'eth0',
    'driver:e1000e',
    'driver:e1000e/*',
    'except:type:ovs-interface',
  ];
  for (const spec of forNic) t.ok(isFor(spec), spec);
  for (const spec of [
    'type:bond',
    'interface-name:=eth*',
    'mac:02:00:00:00:00:02',
    'eth1',
    'except:eth0',
    'driver:igb',
  ])
    t.notOk(isFor(spec), spec);
  t.notOk(
    isFor('type:ethernet', 'except:interface-name:eth0'),
    'a section with an exception does not apply to the device',
  );
  t.notOk(isFor('*'), 'a section for every device is not copied, because it applies to the bridge as well');
  t.end();
});

t.test('the first section that has the property, or stops, decides', (t) => {
  const one = section(['type:ethernet'], { 'ipv4.dns-priority': '30' });
  const all = section(null, { 'ipv4.dns-priority': '10' });
  t.strictSame(carried([all]), [], 'a default for every device is not copied');
  t.strictSame(carried([all, one]), []);
  t.strictSame(carried([one, all]), ['ipv4.dns-priority=30']);
  t.strictSame(carried([section(['eth0'], {}, true), one, all]), [], 'a section with stop-match ends the search');
  t.end();
});

t.test('only defaults that the profile does not set and that NetworkManager accepts are copied', (t) => {
  const values = {
    'ipv4.dhcp-client-id': 'edge-7',
    'ipv4.dhcp-timeout': '2147483647',
    'ipv4.route-metric': '77',
    'ipv6.addr-gen-mode': '1',
    'ipv6.ip6-privacy': '2',
    'connection.mdns': '1',
    'hostname.from-dhcp': '0',
    'ethernet.wake-on-lan': '1',
  };
  const defaults = [section(['type:ethernet'], values)];
  const ofAddress = Object.entries(values).filter(([key]) => key !== 'ethernet.wake-on-lan');
  t.strictSame(carried(defaults).toSorted(), ofAddress.map(([key, value]) => `${key}=${value}`).toSorted());
  const own: ProfileSettings = {
    connection: { mdns: ['i', 0] },
    ipv4: {
      method: ['s', 'manual'],
      'dhcp-client-id': ['s', 'mine'],
      'route-metric': ['x', 5],
      'dhcp-timeout': ['i', 0],
    },
    ipv6: { method: ['s', 'disabled'] },
  };
  t.strictSame(carried(defaults, own).toSorted(), ['hostname.from-dhcp=0', 'ipv4.dhcp-timeout=2147483647']);
  const wrong = {
    'ipv6.ip6-privacy': '7',
    'connection.mdns': 'yes',
    'ipv4.dad-timeout': '-1',
    'ipv4.dhcp-client-id': '',
  };
  t.strictSame(carried([section(['eth0'], wrong)]), []);
  const late = [section(['eth0'], { 'ipv4.routed-dns': '1' })];
  t.strictSame(carried(late), ['ipv4.routed-dns=1']);
  t.strictSame(carried(late, auto, '1.46.0'), [], 'this release of NetworkManager lacks the property');
  t.end();
});

t.test('copied defaults have the D-Bus types of profiles', (t) => {
  const from = { section: 'connection-x', file: '/a' };
  const settings = withDefaults(auto, [
    { property: 'ipv4.route-metric', value: '77', ...from },
    { property: 'ipv4.route-table', value: '0x10', ...from },
    { property: 'ipv4.dhcp-client-id', value: 'edge-7', ...from },
    { property: 'connection.llmnr', value: '0', ...from },
  ]);
  t.strictSame(settings, {
    connection: { llmnr: ['i', 0] },
    ipv4: {
      method: ['s', 'auto'],
      'route-metric': ['x', 77],
      'route-table': ['u', 16],
      'dhcp-client-id': ['s', 'edge-7'],
    },
    ipv6: { method: ['s', 'auto'] },
  });
  t.end();
});
