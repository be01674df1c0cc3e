// The wait for a default route is short if no configuration on the node can bring one.
import t from 'tap';
import type { NmProfile, Observation } from '../../../agent/model/observation.ts';
import type { SettingValue } from '../../../agent/model/profile-settings.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { configOf, readCase } from './cases.ts';

/** Node with a fixed address, without a gateway and without IPv6. */
const { observation: isolated } = readCase('choice-waiting-isolated');

function withManager(facts: Partial<Observation['networkManager']>): Observation {
  return { ...isolated, networkManager: { ...isolated.networkManager, ...facts } };
}

function profilesWith(name: string, setting: Readonly<Record<string, SettingValue>>): readonly NmProfile[] {
  return isolated.networkManager.profiles.map((profile) => ({
    ...profile,
    settings: { ...profile.settings, [name]: { ...profile.settings[name], ...setting } },
  }));
}

/** Returns the profiles of the node and a further one, which is not active. */
function withInactive(autoconnect: boolean): Observation {
  const settings = { connection: { 'interface-name': ['s', 'eth9'], autoconnect: ['b', autoconnect] } } as const;
  const further: NmProfile = { path: 'Settings/9', uuid: '9', id: 'eth9', filename: '', settings };
  return withManager({ profiles: [...isolated.networkManager.profiles, further] });
}

const [eth0] = isolated.links;
if (eth0 === undefined) throw new TypeError('the case has no NIC');
const activations = (change: object) =>
  isolated.networkManager.activeConnections.map((active) => ({ ...active, ...change }));

/** Nodes without a default route, and whether one is expected. */
const nodes: readonly (readonly [string, Observation, boolean])[] = [
  ['a fixed address only', isolated, false],
  ['an inactive profile that is activated by command only', withInactive(false), false],
  ['an inactive profile that may be activated', withInactive(true), true],
  ['a gateway', withManager({ profiles: profilesWith('ipv4', { gateway: ['s', '192.0.2.1'] }) }), true],
  ['DHCP', withManager({ profiles: profilesWith('ipv4', { method: ['s', 'auto'] }) }), true],
  ['router advertisements', withManager({ profiles: profilesWith('ipv6', { method: ['s', 'auto'] }) }), true],
  ['IPv6 of the kernel', { ...isolated, kernelIpv6: ['eth0'] }, true],
  ['a NIC without a profile', { ...isolated, links: [...isolated.links, { ...eth0, name: 'eth1', index: 9 }] }, true],
  [
    'a profile that is being activated by command',
    withManager({
      activeConnections: activations({ state: 1 }),
      profiles: profilesWith('connection', { autoconnect: ['b', false] }),
    }),
    true,
  ],
];

// A veth that another program configures cannot be an uplink; a NIC can.
const ofAnother = withManager({
  activeConnections: activations({ stateFlags: 0x80 }),
  devices: isolated.networkManager.devices.map((device) => ({ ...device, type: 1 })),
});
for (const [name, observation, isExpected] of [...nodes, ['a NIC of another program', ofAnother, true] as const]) {
  t.match(planApply(configOf(null), observation, false), { kind: 'waiting', interface: null, isExpected }, name);
}
t.match(planApply(configOf(null), isolated, true), { kind: 'planned', plan: { choice: { interface: 'eth0' } } });
