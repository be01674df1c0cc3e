// Typical edits of an administrator: the first five lines of `plan` name each with its old and its new value.
// UPDATE_CASES=1 writes test/cases/edits.txt.

import t from 'tap';
import { loadConfig } from '../../../agent/config/load.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Difference } from '../../../agent/model/plan.ts';
import type { ProfileSettings } from '../../../agent/model/profile-settings.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { planTuning } from '../../../agent/plan/tuning/plan-tuning.ts';
import { leftBridgeLines } from '../../../agent/view/changes-view.ts';
import { planText } from '../../../agent/view/plan-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { equalsGolden } from '../golden-file.ts';
import { appliedCase } from '../plan/cases.ts';
import { changed } from '../plan/change.ts';

const golden = 'test/cases/edits.txt';

interface Edit {
  /** Case of test/cases/plan whose node has had a run before the edit. */
  readonly node: string;
  readonly change?: Readonly<Record<string, unknown>>;
  /** Content of ovn.yaml after the edit. */
  readonly yaml?: string;
  readonly tuning?: true;
  /** Beginnings of lines that the first five lines of `plan` have to contain. */
  readonly named: readonly string[];
}

const profile = 'networkManager/profiles/[id=eth0]/settings';
const route = { dest: ['s', '198.51.100.0'], prefix: ['u', 24], 'next-hop': ['s', '192.0.2.9'], metric: ['u', 50] };

const edits: Readonly<Record<string, Edit>> = {
  'nmcli con mod eth0 ipv4.dns 9.9.9.9': {
    node: 'static4',
    change: { [`${profile}/ipv4/dns-data`]: ['as', ['9.9.9.9']] },
    named: ['- ovs-if-br-ex ipv4.dns: 192.0.2.2, 192.0.2.3', '+ ovs-if-br-ex ipv4.dns: 9.9.9.9'],
  },
  'nmcli con mod eth0 +ipv4.routes "198.51.100.0/24 192.0.2.9 50"': {
    node: 'static4',
    change: { [`${profile}/ipv4/route-data`]: ['aa{sv}', [route]] },
    named: ['+ ovs-if-br-ex ipv4.routes: 198.51.100.0/24 192.0.2.9 50'],
  },
  'nmcli con mod eth0 ipv4.addresses 192.0.2.60/24': {
    node: 'static4',
    change: { [`${profile}/ipv4/address-data`]: ['aa{sv}', [{ address: ['s', '192.0.2.60'], prefix: ['u', 24] }]] },
    named: ['- ovs-if-br-ex ipv4.addresses: 192.0.2.50/24', '+ ovs-if-br-ex ipv4.addresses: 192.0.2.60/24'],
  },
  'nmcli con mod eth0 802-3-ethernet.mtu 1400': {
    node: 'static4',
    change: { [`${profile}/802-3-ethernet/mtu`]: ['u', 1400] },
    named: ['- ovs-if-br-ex 802-3-ethernet.mtu: 1500', '+ ovs-if-br-ex 802-3-ethernet.mtu: 1400'],
  },
  'nmcli con mod eth0 connection.zone trusted': {
    node: 'static4',
    change: { [`${profile}/connection/zone`]: ['s', 'trusted'] },
    named: ['+ ovs-if-br-ex connection.zone: trusted'],
  },
  'nmcli con mod vlan100 vlan.id 200': {
    node: 'vlan',
    change: { 'networkManager/profiles/[id=vlan100]/settings/vlan/id': ['u', 200] },
    named: ['- vlan100 vlan.id: 100', '+ vlan100 vlan.id: 200'],
  },
  'nmcli con mod bond0 bond.options mode=active-backup,miimon=50': {
    node: 'bond-ab',
    change: {
      'networkManager/profiles/[id=bond0]/settings/bond/options': ['a{ss}', { mode: 'active-backup', miimon: '50' }],
    },
    named: ['+ bond0 bond.options: mode=active-backup,miimon=50'],
  },
  'echo eth0 > /var/lib/ovnk/iface_default_hint': {
    node: 'two-nics-metric',
    change: { 'hints/interfaceHint': 'eth0' },
    named: ['- /var/lib/ovnk/iface_default_hint: eth0'],
  },
  'ovn.yaml: uplink: eth0': {
    node: 'two-nics-metric',
    yaml: 'uplink: eth0\n',
    named: ['- uplink of br-ex: eth1', '+ uplink of br-ex: eth0 (/etc/microshift/ovn.yaml:1)'],
  },
  'ovn.yaml: externalGatewayInterface: eth0': {
    node: 'two-nics-metric',
    yaml: 'ovsInit:\n  externalGatewayInterface: eth0\n',
    named: ['+ bridge br-ex1: with the uplink eth0'],
  },
  'ovn.yaml: ovs: handlerThreads': {
    node: 'static4',
    yaml: 'ovs:\n  handlerThreads: 3\n',
    tuning: true,
    named: ['- other_config:n-handler-threads: 1', '+ other_config:n-handler-threads: 3'],
  },
  'ovn.yaml: uplink: none': {
    node: 'two-nics-metric',
    yaml: 'uplink: none\n',
    named: ['- uplink of br-ex: eth1', '+ uplink of br-ex: none (/etc/microshift/ovn.yaml:1)'],
  },
  'ovn.yaml: disableOVSInit: true': {
    node: 'static4',
    yaml: 'disableOVSInit: true\n',
    named: ['/etc/microshift/ovn.yaml:1 says disableOVSInit: br-ex stays as the agent made it'],
  },
};

t.test('the first five lines of a plan name the edit', (t) => {
  const sections = Object.entries(edits).map(([name, edit]) => {
    const first = firstLines(edit);
    for (const line of edit.named)
      t.ok(
        first.some((shown) => shown.startsWith(line)),
        `${name}: ${line}`,
      );
    for (const line of first) t.notMatch(line, /\["|\{"|-data/, `${name}: no notation of D-Bus`);
    return [`# ${name}`, ...first, ''].join('\n');
  });
  const text = sections.join('\n');
  equalsGolden(t, golden, text);
  t.end();
});

function firstLines({ node, change = {}, yaml = '', tuning }: Edit): readonly string[] {
  const before = withApplied(appliedCase(node).observation);
  const observation = changed(before, change);
  const { config } = loadConfig({ ovnYaml: Buffer.from(yaml), configYaml: null, configD: [] });
  if (config.disableOvsInit.value)
    return leftBridgeLines(config.disableOvsInit.source, observation, [], plain).slice(0, 5);
  const decision = planApply(config, observation, true);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  const differences: readonly Difference[] =
    tuning === true
      ? planTuning(config, { onlineCpus: '0', baseCpus: '0', daemons: [] }, tuned(observation)).differences
      : [];
  return planText(decision.plan, observation, plain, false, differences).split('\n').slice(0, 5);
}

/** Returns a node whose NICs run with unchanged profiles. */
function withApplied(observation: Observation): Observation {
  const { devices, profiles } = observation.networkManager;
  const { activeConnections } = observation.networkManager;
  const applied = devices.flatMap(({ interface: name, activeConnection, type }) => {
    const uuid = activeConnections.find(({ path }) => path === activeConnection)?.uuid;
    const found = profiles.find((entry) => entry.uuid === uuid);
    if (found === undefined || uuid === undefined || type >= 24) return [];
    const settings: ProfileSettings = { ...structuredClone(found.settings), ipv4: { method: ['s', 'disabled'] } };
    return [{ interface: name, uuid, settings }];
  });
  return { ...observation, networkManager: { ...observation.networkManager, applied } };
}

function tuned({ ovs }: Observation): Observation['ovs'] {
  return { ...ovs, otherConfig: { 'n-handler-threads': '1', 'n-revalidator-threads': '1' } };
}
