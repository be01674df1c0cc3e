// Changes that other programs make to a node between two runs.
import type { Plan, WantedBridge } from '../../../agent/model/plan.ts';
import type { SettingValue } from '../../../agent/model/profile-settings.ts';
import type { ModelNode } from './model-node.ts';
import type { Random } from './random-node.ts';

/** Changes a node after a run of the plan; returns false if the node lacks the object to change. */
export type Damage = (node: ModelNode, plan: Plan, random: Random) => boolean;

/** Properties of the agent's profiles that an administrator may change, by the suffix of the profile's id. */
const changes: readonly (readonly [id: RegExp, setting: string, key: string, value: SettingValue])[] = [
  [/^br-ex1?$/, 'connection', 'autoconnect', ['b', true]],
  [/^br-ex1?$/, 'ovs-bridge', 'fail-mode', ['s', 'secure']],
  [/^br-ex1?$/, 'ovs-external-ids', 'data', ['a{ss}', { 'bridge-id': 'physnet' }]],
  [/^ovs-port-/, 'connection', 'interface-name', ['s', 'br-other']],
  [/^ovs-if-/, 'connection', 'zone', ['s', 'drop']],
  [/^ovs-if-/, 'connection', 'autoconnect', ['b', true]],
  [/^ovs-if-/, 'ipv4', 'method', ['s', 'link-local']],
  [/^ovs-if-/, 'ipv6', 'route-metric', ['x', 7777]],
  [/^ovs-if-/, 'ipv4', 'never-default', ['b', true]],
  [/^ovs-if-/, '802-3-ethernet', 'mtu', ['u', 1280]],
  [/^ovs-if-/, 'user', 'data', ['a{ss}', {}]],
];

export const damages: Readonly<Record<string, Damage>> = {
  'a profile deleted': (node, plan, random) => {
    const profile = pick(
      plan.wanted.bridges.flatMap((bridge) => bridge.profiles),
      random,
    );
    if (profile === undefined || !node.observe().networkManager.profiles.some(({ uuid }) => uuid === profile.uuid))
      return false;
    node.deleteProfile(profile.uuid);
    return true;
  },
  'a profile taken down': (node, plan, random) => {
    const profile = pick(
      plan.wanted.bridges.flatMap((bridge) => bridge.profiles),
      random,
    );
    if (profile === undefined) return false;
    node.down(profile.uuid);
    return true;
  },
  'a setting changed': (node, plan, random) => {
    const [id, setting, key, value] = pick(changes, random) ?? changes[0] ?? [/$^/, '', '', ['s', '']];
    const profiles = pick(plan.wanted.bridges, random)?.profiles ?? [];
    const profile = profiles.find((entry) => id.test(entry.id));
    if (profile === undefined || !node.observe().networkManager.profiles.some(({ uuid }) => uuid === profile.uuid))
      return false;
    node.changeProfile(profile.uuid, setting, key, value);
    return true;
  },
  'NetworkManager restarted': (node) => {
    node.restartNetworkManager();
    return true;
  },
  'the NIC taken out': (node, plan, random) => withUplink(plan, random, (nic) => node.removePort(nic)),
  'the NIC started again': (node, plan, random) => withUplink(plan, random, (nic, profile) => node.start(profile, nic)),
  'the NIC disconnected': (node, plan, random) => withUplink(plan, random, (nic) => node.disconnect(nic)),
  'profiles of an earlier agent': (node, plan, random) =>
    withUplink(plan, random, (nic, profile, { bridge }) => {
      const number = bridge === 'br-ex' ? 0 : 1;
      const user = { data: ['a{ss}', { 'microshift-net.source-profile': profile }] as const };
      const add = (id: string, uuid: string, name: string, master: string): void => {
        if (node.observe().networkManager.profiles.some((entry) => entry.uuid === uuid)) return;
        const connection = {
          id: ['s', id],
          type: ['s', '802-3-ethernet'],
          'interface-name': ['s', name],
          master: ['s', master],
        } as const;
        node.addProfile({ path: `/former/${id}`, uuid, id, filename: '', settings: { connection, user } });
      };
      const uuid = `00000000-0000-4000-8000-0000000000f${number}`;
      add(`ovs-if-phys${number}`, uuid, nic, `ovs-port-phys${number}`);
      add(`ovs-if-phys${number}-eth7`, uuid.replace('f', 'e'), 'eth7', uuid);
    }),
  'another MAC': (node, plan, random) => {
    const bridge = pick(plan.wanted.bridges, random);
    if (bridge === undefined || !node.observe().links.some((link) => link.name === bridge.bridge)) return false;
    node.setMac(bridge.bridge, '02:00:00:00:00:99');
    return true;
  },
  'the bridge removed from Open vSwitch': (node, plan, random) => {
    const bridge = pick(plan.wanted.bridges, random);
    if (bridge === undefined) return false;
    node.removeBridge(bridge.bridge);
    return true;
  },
  'another NIC in the bridge': (node, plan, random) => {
    const bridge = pick(plan.wanted.bridges, random);
    if (bridge === undefined || !node.observe().ovs.bridges.some((row) => row.name === bridge.bridge)) return false;
    node.addPort(bridge.bridge, `eth9${bridge.bridge.length}`);
    return true;
  },
};

function withUplink(
  plan: Plan,
  random: Random,
  work: (nic: string, profile: string, bridge: WantedBridge) => void,
): boolean {
  const bridge = pick(
    plan.wanted.bridges.filter((entry) => entry.uplink !== null),
    random,
  );
  if (bridge?.uplink == null) return false;
  work(bridge.uplink.interface, bridge.uplink.sourceProfile, bridge);
  return true;
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[random(items.length)];
}
