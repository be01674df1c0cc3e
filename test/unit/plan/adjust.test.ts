// Steps that remove each kind of difference between a node and its desired state.
import t from 'tap';
import { gatewayBridge } from '../../../agent/model/names.ts';
import type { DifferenceKind, NetworkDifference, Step } from '../../../agent/model/plan.ts';
import { adjustInPlace } from '../../../agent/plan/bridge/adjust.ts';
import { uplinkSource } from '../../../agent/plan/uplink/source-profile.ts';
import { appliedCase, planOfCase } from './cases.ts';
import { changed } from './change.ts';

const again = appliedCase('static4');
const [wanted] = planOfCase(again).wanted.bridges;
if (wanted === undefined) throw new TypeError('static4 has a bridge');
const source = uplinkSource(gatewayBridge, 'eth0', again.observation);

type OtherKind = Exclude<DifferenceKind, 'setting'>;

/** Fields of every difference; the planner uses only the kind of a difference and the property of a profile. */
const words = { bridge: 'br-ex', wanted: 'one', observed: 'another' };
const about = {
  profile: 'br-ex',
  uuid: '',
  onDisk: false,
  device: 'eth0',
  address: '192.0.2.50/24',
  entry: '10.44.0.0/32',
};

function differing(kind: OtherKind): NetworkDifference {
  return { ...words, ...about, kind };
}

function setting(profile: string, property: string): NetworkDifference {
  const [name = '', key = ''] = property.split('.');
  return { ...words, kind: 'setting', profile, setting: name, key };
}

function steps(differences: readonly NetworkDifference[], uplink: typeof source | null = source): string {
  if (wanted === undefined) return '';
  const planned = adjustInPlace(wanted, gatewayBridge, differences, uplink, again.observation);
  return planned === null ? 'rebuild' : planned.map(named).join(', ');
}

function named(step: Step): string {
  if (step.do === 'writeProfiles') return `update ${step.profiles.map((profile) => profile.id).join(' ')}`;
  if (step.do === 'clearUplink') return step.profile === null ? 'clear' : `start ${step.profile.id} and clear`;
  return step.do === 'reapply' ? `reapply ${step.id}` : step.do;
}

const inPlace = 'reapply ovs-if-br-ex, waitAddresses';

t.test('steps for each kind of difference', (t) => {
  const table: Readonly<Record<OtherKind, string>> = {
    profile: 'rebuild',
    active: 'rebuild',
    leftover: 'rebuild',
    bridge: 'rebuild',
    owner: 'rebuild',
    surplus: 'rebuild',
    port: 'attachUplink, clear',
    'port-error': 'rebuild',
    'foreign-device': 'rebuild',
    mac: 'rebuild',
    loopback: '',
    signpost: '',
    given: '',
    'others-port': '',
    address: inPlace,
    'uplink-configured': 'clear',
    'uplink-inactive': 'clear',
  };
  for (const [kind, remedy] of Object.entries(table)) t.equal(steps([differing(kind as OtherKind)]), remedy, kind);
  t.end();
});

t.test('steps for a difference in each setting of a profile', (t) => {
  const [bridge, port, device] = ['br-ex', 'ovs-port-br-ex', 'ovs-if-br-ex'];
  const table: readonly (readonly [profile: string, property: string, remedy: string])[] = [
    ['br-ex', 'connection.autoconnect', `update ${bridge}`],
    ['br-ex', 'ovs-external-ids.data', `update ${bridge}, reapply ${bridge}`],
    ['br-ex', 'ovs-other-config.data', `update ${bridge}, reapply ${bridge}`],
    ['br-ex', 'ovs-bridge.fail-mode', 'rebuild'],
    ['br-ex', 'ovs-bridge.datapath-type', 'rebuild'],
    ['br-ex', 'connection.interface-name', 'rebuild'],
    ['ovs-port-br-ex', 'connection.autoconnect', `update ${port}`],
    ['ovs-port-br-ex', 'connection.master', 'rebuild'],
    ['ovs-if-br-ex', 'connection.autoconnect', `update ${device}`],
    ['ovs-if-br-ex', 'user.data', `update ${device}`],
    ['ovs-if-br-ex', 'connection.zone', `update ${device}, ${inPlace}`],
    ['ovs-if-br-ex', 'ipv4.method', `update ${device}, ${inPlace}`],
    ['ovs-if-br-ex', 'ipv6.token', `update ${device}, ${inPlace}`],
    ['ovs-if-br-ex', 'proxy.method', `update ${device}, ${inPlace}`],
    ['ovs-if-br-ex', 'hostname.priority', `update ${device}, ${inPlace}`],
    ['ovs-if-br-ex', '802-3-ethernet.mtu', 'rebuild'],
    ['ovs-if-br-ex', '802-3-ethernet.assigned-mac-address', 'rebuild'],
    ['ovs-if-br-ex', 'ovs-interface.type', 'rebuild'],
    ['ovs-if-br-ex', 'ovs-external-ids.data', 'rebuild'],
    ['ovs-if-br-ex', 'never-heard-of.value', 'rebuild'],
  ];
  for (const [profile, property, remedy] of table) {
    t.equal(steps([setting(profile, property)]), remedy, `${profile} ${property}`);
  }
  t.end();
});

t.test('steps for several differences', (t) => {
  const [port, configured, inactive, address] = (
    ['port', 'uplink-configured', 'uplink-inactive', 'address'] as const
  ).map((kind) => differing(kind));
  const method = setting('ovs-if-br-ex', 'ipv4.method');
  const ids = setting('br-ex', 'ovs-external-ids.data');
  if (port === undefined || configured === undefined || inactive === undefined || address === undefined) return;
  t.equal(steps([port, configured]), 'attachUplink, clear', 'the NIC is cleared once');
  t.equal(
    steps([configured, address]),
    `clear, ${inPlace}`,
    'the address is removed from the NIC before the bridge changes',
  );
  t.equal(
    steps([method, ids, port]),
    `update br-ex ovs-if-br-ex, attachUplink, reapply br-ex, clear, ${inPlace}`,
    'each profile is updated once, and the NIC is moved before the addresses',
  );
  t.equal(steps([configured, differing('mac')]), 'rebuild', 'the difference with the largest repair decides');
  t.equal(steps([]), '');
  t.end();
});

t.test("a NIC without an active profile is first activated with the administrator's profile", (t) => {
  const down = changed(again.observation, {
    'networkManager/devices/[interface=eth0]/state': 30,
    'networkManager/devices/[interface=eth0]/activeConnection': null,
  });
  const idle = uplinkSource(gatewayBridge, 'eth0', down);
  t.equal(steps([differing('uplink-inactive')], idle), 'start eth0 and clear');
  t.equal(steps([differing('port')], idle), 'attachUplink, start eth0 and clear');
  t.end();
});

t.test('foreign IPv6 addresses are restored on a bridge that NetworkManager takes over again', (t) => {
  const flags = { metric: null, noDad: true, deprecated: false };
  const route = { gateway: null, source: null, metric: null, mtuBytes: null, table: null };
  const given = {
    interface: 'br-ex',
    addresses: [
      { address: '10.44.0.0/32', ...flags },
      { address: 'fd69::2/125', ...flags },
    ],
    routes: [
      { destination: '10.43.0.0/16', ...route },
      { destination: 'fd02::/112', ...route },
    ],
    neighbours: [
      { address: '169.254.169.4', mac: '0a:58:a9:fe:a9:04' },
      { address: 'fd69::4', mac: '0a:58:a9:fe:a9:04' },
    ],
  };
  const unclaimed: NetworkDifference = { ...words, ...about, kind: 'owner', observed: null };
  const claim = (foreign: readonly object[]): readonly Step[] => {
    const observation = changed(again.observation, { foreign });
    return (wanted && adjustInPlace(wanted, gatewayBridge, [unclaimed], source, observation)) ?? [];
  };
  t.match(claim([given]).at(-1), {
    do: 'changeKernel',
    entries: {
      addresses: [{ address: 'fd69::2/125' }],
      routes: [{ destination: 'fd02::/112' }],
      neighbours: [{ address: 'fd69::4' }],
    },
  });
  const before = claim([]).map(({ do: kind }) => kind);
  t.strictSame(before, ['claimBridge', 'activate', 'activate']);
  const ipv4 = { ...given, addresses: given.addresses.slice(0, 1), routes: [], neighbours: [] };
  t.strictSame(
    claim([ipv4]).map(({ do: kind }) => kind),
    before,
    'IPv4 addresses are not restored',
  );
  t.end();
});

t.test('a bridge that has lost its NIC gets the NIC before NetworkManager takes it over again', (t) => {
  const unclaimed: NetworkDifference = { ...words, ...about, kind: 'owner', observed: null };
  const absent: NetworkDifference = { ...words, ...about, kind: 'port', observed: null };
  const planned = wanted && adjustInPlace(wanted, gatewayBridge, [unclaimed, absent], source, again.observation);
  t.strictSame(
    planned?.map(({ do: kind }) => kind),
    ['attachUplink', 'claimBridge', 'activate', 'activate', 'clearUplink'],
    'the profile of the bridge needs a lease',
  );
  t.end();
});

t.test('a bridge that has IPv6 keeps it while NetworkManager takes it over again', (t) => {
  const unclaimed: NetworkDifference = { ...words, ...about, kind: 'owner', observed: null };
  const started = (name: string, change: Parameters<typeof changed>[1] = {}): unknown => {
    const applied = appliedCase(name);
    const [bridge] = planOfCase(applied).wanted.bridges;
    const observation = changed(applied.observation, change);
    const nic = uplinkSource(gatewayBridge, 'eth0', observation);
    const planned = (bridge && adjustInPlace(bridge, gatewayBridge, [unclaimed], nic, observation)) ?? [];
    return planned.flatMap((step) => (step.do === 'activate' ? step.profiles : [])).at(-1);
  };
  t.match(started('static-dual'), { undetected: 'br-ex', held: undefined }, 'with fixed addresses, no address is held');
  t.match(started('static4'), { undetected: undefined, held: undefined });
  t.match(started('slaac'), {
    undetected: 'br-ex',
    held: { addresses: [{ noDad: true }], routes: [{ destination: '::/0' }] },
  });
  const withoutIpv6 = appliedCase('static-dual').observation.links.map((link) => ({
    ...link,
    addresses: link.addresses.filter(({ family }) => family === 4),
  }));
  const missing = started('static-dual', { links: withoutIpv6 });
  t.match(
    missing,
    { undetected: undefined },
    'duplicate address detection checks an address that the bridge does not have',
  );
  t.end();
});
