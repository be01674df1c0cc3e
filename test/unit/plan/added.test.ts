// Bridges of `bridge add`: their names, the refused requests, and no other change on the node.
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import type { AgentError } from '../../../agent/errors.ts';
import { addedBridgeOfProfile, addedNameFault, addedUuid } from '../../../agent/model/added-names.ts';
import type { Config } from '../../../agent/model/config.ts';
import { bridgesOf } from '../../../agent/model/names.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { hasLateNic, listWith, listWithout, planAdded } from '../../../agent/plan/added.ts';
import { currentBridges } from '../../../agent/plan/bridge/current.ts';
import { planApply, planDisable, planUndo } from '../../../agent/plan/make-plan.ts';
import { refuseNeeded } from '../../../agent/plan/needed-by-br-ex.ts';
import { failure } from '../failure.ts';
import { appliedCase, configOf, readCase } from './cases.ts';
import { changed } from './change.ts';
import { ModelNode } from './model-node.ts';

const twoNics = readCase('two-nics-metric').observation;
const none = { bridges: [] };
const asked = (nic: string, bridge: string | null = null) => ({ interface: nic, bridge });

function refusal(nic: string, bridge: string | null, observation: Observation, config: Config = defaultConfig): string {
  try {
    listWith(asked(nic, bridge), config, observation);
    return 'none';
  } catch (error) {
    return (error as { readonly kind: string }).kind;
  }
}

t.test('a name is its own UUID', (t) => {
  t.equal(addedUuid('breth1'), '62726574-6831-8000-8000-000000000000');
  t.equal(addedUuid('ovs-if-breth1'), '62726574-6831-8000-a000-000000000000');
  const ids = ['breth1', 'ovs-port-breth1', 'ovs-if-breth1', 'a', 'abcdefghijklmno', 'ovs-if-abcdefghijklmno'];
  const uuids = ids.map((id) => addedUuid(id));
  t.equal(new Set(uuids).size, ids.length);
  for (const [index, id] of ids.entries()) {
    const uuid = uuids[index] ?? '';
    t.match(
      uuid,
      /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89a][\da-f]{3}-[\da-f]{12}$/,
      'the UUID has the form of RFC 9562 version 8',
    );
    t.equal(addedBridgeOfProfile({ id, uuid }), id.replace(/^ovs-(port|if)-/, ''));
    t.equal(addedBridgeOfProfile({ id: `${id}x`, uuid }), null, 'a profile with another id belongs to another program');
  }
  t.equal(addedUuid('abcdefghijklmnop'), null);
  t.end();
});

t.test('names that a bridge can have', (t) => {
  for (const name of ['breth0', 'br0', 'lan.7', 'abcdefghijklmno', 'br_enp3s0-a'])
    t.equal(addedNameFault(name), null, name);
  for (const name of [
    '',
    'br-ex',
    'br-ex1',
    'br-int',
    'ovs-system',
    'ovs-if-a',
    '7',
    '-a',
    'a b',
    'a/b',
    'ä',
    'abcdefghijklmnop',
  ])
    t.type(addedNameFault(name), 'string', name);
  t.end();
});

t.test('refused requests', (t) => {
  t.equal(refusal('eth1', null, twoNics), 'none');
  t.equal(refusal('eth7', null, twoNics), 'interface-not-found');
  t.equal(refusal('lo', null, twoNics), 'interface-unsuitable');
  t.throws(() => listWith(asked('lo'), defaultConfig, twoNics), { message: /it is the loopback interface/ });
  t.equal(refusal('eth1', 'eth0', twoNics), 'bridge-foreign', 'an existing interface has the requested name');
  t.equal(refusal('eth1', 'br-ex', twoNics), 'bad-usage');
  t.equal(refusal('eth1', null, changed(twoNics, { 'links/[name=eth1]/master': 'bond0' })), 'interface-unsuitable');
  t.equal(
    refusal('eth0', null, appliedCase('static4').observation),
    'interface-unsuitable',
    'the uplink of br-ex is refused',
  );
  t.equal(refusal('eth1', null, changed(twoNics, { 'hints/extraBridge': 'eth1' })), 'config-invalid');
  t.throws(() => listWith(asked('eth0'), defaultConfig, appliedCase('static4').observation), {
    message: /it is a port of br-ex/,
  });
  t.throws(
    () => listWith(asked('eth1'), configOf(null, 'uplink: eth1'), twoNics),
    failure('config-invalid', { message: /names eth1 as the uplink of br-ex/ }),
  );
  t.equal(refusal('eth1', null, twoNics, configOf(null, 'ovs:\n  datapathType: netdev')), 'config-invalid');
  const list = listWith(asked('eth1'), defaultConfig, twoNics);
  const listed = changed(twoNics, { 'hints/addedBridges': list });
  t.throws(
    () => listWith(asked('eth1', 'another'), defaultConfig, listed),
    failure('interface-unsuitable', { message: /it is the uplink of breth1/ }),
    'a NIC that has a bridge already is refused',
  );
  t.equal(refusal('eth0', 'breth1', listed), 'bridge-foreign', 'a bridge that has a NIC already is refused');
  t.equal(
    listWith(asked('eth1'), defaultConfig, listed),
    listed.hints.addedBridges,
    'a second request returns the same list',
  );
  t.equal(listWith(asked('eth1', 'breth1'), defaultConfig, listed), listed.hints.addedBridges);
  t.strictSame(listWithout('eth1', listed), [], 'a bridge is removed by the name of its NIC');
  t.strictSame(listWithout('breth1', listed), [], 'a bridge is removed by its own name');
  t.throws(() => listWithout('eth0', listed), failure('interface-not-found'));
  t.end();
});

t.test('a NIC that br-ex needs is refused', (t) => {
  const needed = (observation: Observation, config = defaultConfig): string => {
    const list = listWith(asked('eth0'), config, observation);
    try {
      refuseNeeded('eth0', list, config, observation);
      return 'free';
    } catch (error) {
      return (error as AgentError).message;
    }
  };
  const oneNic = readCase('dhcp').observation;
  t.match(needed(oneNic), /^br-ex needs eth0: with a bridge of its own for eth0, \S/);
  t.equal(
    needed(oneNic, configOf(null, 'disableOVSInit: true')),
    'free',
    'the NIC is free if the administrator makes br-ex',
  );
  t.equal(needed(oneNic, configOf(null, 'uplink: none')), 'free', 'the NIC is free if br-ex has no uplink');
  t.equal(needed(twoNics), 'free', 'the NIC is free if br-ex gets another one');
  const list = listWith(asked('eth1'), defaultConfig, twoNics);
  t.match(refuseNeeded('eth1', list, defaultConfig, twoNics), [
    { level: 'warning', message: /eth1 would be the uplink of br-ex; the next `apply` uses eth0 instead$/ },
  ]);
  t.end();
});

t.test('disable leaves bridges of bridge add, and names them', (t) => {
  const { observation } = appliedCase('added-bridge');
  const kept = currentBridges(observation).bridges.filter(({ bridge }) => bridge === 'breth1');
  const part = planDisable(observation, undefined, kept);
  t.strictSame([...new Set(part.differences.map(({ bridge }) => bridge))], ['br-ex']);
  t.strictSame(
    part.wanted.bridges.map(({ bridge }) => bridge),
    ['breth1'],
  );
  t.match(part.notes, [
    { level: 'info', message: /^breth1, which `bridge add` made for eth1, stays; .*disable --all/ },
  ]);
  const node = new ModelNode(observation);
  node.run(part.steps);
  t.strictSame(
    node.observe().ovs.bridges.map(({ name }) => name),
    ['breth1'],
  );
  const all = planDisable(observation, []);
  t.strictSame(all.wanted.bridges, []);
  t.match(all.notes, [{ message: /^breth1, .* is removed, and so is its record$/ }]);
  t.end();
});

t.test("a bridge's default route has the precedence that the NIC's had", (t) => {
  const metricOf = (nic: string, observation = twoNics) =>
    listWith(asked(nic), defaultConfig, observation)[0]?.routeMetric;
  t.equal(metricOf('eth1'), 50, "the bridge has the best metric of the NIC's routes");
  t.equal(metricOf('eth0'), 249, 'the other NIC gets the next metric, and 248 is free for the rollback');
  const crowded = changed(twoNics, {
    'routes/[+]': { family: 4, destination: '0.0.0.0/0', gateway: '198.51.100.1', device: 'eth2', metric: 248 },
  });
  t.equal(metricOf('eth0', crowded), 250, "the metric differs from that of another program's route");
  t.equal(
    metricOf('eth0', changed(twoNics, { routes: [] })),
    800,
    "without a default route, the metric is NetworkManager's for an ovs-interface",
  );
  t.end();
});

t.test('`bridge add` neither creates nor changes br-ex', (t) => {
  const list = listWith(asked('eth1'), defaultConfig, twoNics);
  const plan = planAdded(list, none, defaultConfig, twoNics, { asked: 'breth1', isNew: true });
  t.strictSame(
    plan.wanted.bridges.map(({ bridge }) => bridge),
    ['breth1'],
  );
  t.strictSame(plan.wanted.added, list);
  t.notOk(JSON.stringify(plan.steps).includes('br-ex'));
  t.equal(plan.choice, null, 'the plan chooses no uplink, so no hint is written');

  const moved = appliedCase('two-nics-metric').observation;
  const beside = planAdded(
    [{ bridge: 'breth0', interface: 'eth0', routeMetric: 249 }],
    currentBridges(moved),
    defaultConfig,
    moved,
  );
  t.strictSame(
    beside.wanted.bridges.map(({ bridge }) => bridge),
    ['br-ex', 'breth0'],
  );
  t.strictSame([...new Set(beside.differences.map(({ bridge }) => bridge))], ['breth0']);
  t.equal(beside.wanted.added, undefined, 'an unchanged list is not written');
  t.end();
});

t.test('a bridge is added, its addition is undone, and the removal is undone', (t) => {
  const list = listWith(asked('eth1'), defaultConfig, twoNics);
  const node = new ModelNode(twoNics);
  node.run(planAdded(list, none, defaultConfig, twoNics, { isNew: true }).steps);
  const unlisted = node.observe();
  const listed = changed(unlisted, { 'hints/addedBridges': list });
  t.equal(planAdded(list, none, defaultConfig, listed).outcome, 'unchanged', 'a second run has no steps');
  t.strictSame(currentBridges(listed).added, list, 'the state to which undo returns has the list');

  t.ok(
    bridgesOf(unlisted).some((names) => names.isAdded && names.bridge === 'breth1'),
    'the bridge is recognized without the list',
  );
  node.run(planUndo({ ...none, added: [] }, unlisted).steps);
  const after = node.observe();
  t.strictSame(after.ovs.bridges, twoNics.ovs.bridges);
  t.strictSame(
    after.links.map(({ name, addresses }) => ({ name, addresses })),
    twoNics.links.map(({ name, addresses }) => ({ name, addresses })),
  );

  const back = planUndo(currentBridges(listed), after);
  t.strictSame(back.wanted.added, list, 'the undo of a removal adds the bridge to the list again');
  t.strictSame(
    back.wanted.bridges.map(({ bridge }) => bridge),
    ['breth1'],
  );
  t.end();
});

t.test('a missing NIC leaves out its own bridge, and fails only a request for this bridge', (t) => {
  const list = [{ bridge: 'breth7', interface: 'eth7', routeMetric: 50 }];
  const plan = planAdded(list, none, defaultConfig, twoNics);
  t.match(plan, { outcome: 'unchanged', notes: [{ level: 'warning', message: /^breth7 is left out: / }] });
  t.throws(() => planAdded(list, none, defaultConfig, twoNics, { asked: 'breth7' }), failure('interface-not-found'));
  t.end();
});

t.test('the plan warns about a change of the route to the node', (t) => {
  const { observation } = readCase('dhcp');
  const notesOf = (nic: string, seen: Observation): readonly string[] => {
    const list = listWith(asked(nic), defaultConfig, seen);
    const plan = planAdded(list, none, defaultConfig, seen, { asked: `br${nic}`, isNew: true });
    return plan.notes.map(({ message }) => message.split(';')[0] ?? '');
  };
  const from = (sshPeer: string | null) => changed(twoNics, { 'host/sshPeer': sshPeer });
  t.strictSame(notesOf('eth0', changed(observation, { 'host/sshPeer': null })), ["eth0 is this node's only way out"]);
  t.strictSame(notesOf('eth0', from(null)), [], 'no warning while another default route exists');
  t.strictSame(
    notesOf('eth0', from('192.0.2.9')),
    ['this SSH session comes in by eth0'],
    "an SSH client on the NIC's own LAN causes a warning",
  );
  t.strictSame(notesOf('eth1', from('192.0.2.9')), []);
  t.strictSame(
    notesOf('eth1', from('198.51.100.9')),
    ['this SSH session comes in by eth1'],
    'an SSH client behind the preferred default route causes a warning',
  );
  t.strictSame(notesOf('eth0', from('fe80::1%eth0')), [], 'a link-local client causes no warning');
  t.end();
});

t.test('NetworkManager without its plugin for Open vSwitch', (t) => {
  const bare = changed(twoNics, { 'networkManager/ovsPlugin': false });
  const list = listWith(asked('eth1'), defaultConfig, bare);
  t.throws(() => planAdded(list, none, defaultConfig, bare), failure('ovs-plugin-missing'));
  t.equal(planAdded([], none, defaultConfig, bare).outcome, 'unchanged', 'an empty list does not need the plugin');
  t.end();
});

t.test('a late NIC leaves out only its own bridge', (t) => {
  const list = [{ bridge: 'breth1', interface: 'eth1', routeMetric: 50 }];
  const listed = changed(twoNics, { 'hints/addedBridges': list });
  const cut = changed(listed, { 'links/[name=eth1]/carrier': false });
  const bridgesIn = (plan: Plan): readonly string[] => plan.wanted.bridges.map(({ bridge }) => bridge);
  const left = planAdded(list, none, defaultConfig, cut);
  t.strictSame(bridgesIn(left), []);
  t.match(left.notes, [{ message: 'breth1 is left out: eth1 has no carrier' }]);
  t.strictSame(
    bridgesIn(planAdded(list, none, defaultConfig, cut, { asked: 'breth1' })),
    ['breth1'],
    'a requested bridge is planned',
  );

  const applied = (isBoot: boolean, seen: Observation): readonly string[] => {
    const decision = planApply(defaultConfig, seen, true, isBoot ? { nicWaitOver: true } : null);
    return decision.kind === 'planned' ? bridgesIn(decision.plan) : [];
  };
  t.strictSame(applied(false, listed), ['br-ex', 'breth1']);
  t.strictSame(applied(true, listed), ['br-ex'], 'at boot br-ex is planned without the late NIC');
  const node = new ModelNode(listed);
  node.run(planAdded(list, none, defaultConfig, listed).steps);
  const made = node.observe();
  t.strictSame(applied(true, made), ['br-ex', 'breth1'], 'existing bridges are kept');
  const pulled = changed(made, { 'links/[name=eth1]/carrier': false });
  t.strictSame(
    bridgesIn(planAdded(list, none, defaultConfig, pulled)),
    ['breth1'],
    'a bridge whose NIC has no carrier is kept',
  );

  t.ok(hasLateNic(left, listed), 'a NIC that is configured by now needs another run');
  t.notOk(
    hasLateNic(left, changed(listed, { 'networkManager/devices/[interface=eth1]/state': 70 })),
    'a NIC that is still being configured needs no other run',
  );
  t.notOk(hasLateNic(planAdded(list, none, defaultConfig, made), made), 'a NIC that has its bridge needs no other run');
  t.end();
});

/** Returns a node, and its links together with the internal device of the userspace data path. */
function withInternalDevice() {
  const { observation } = readCase('static4');
  const [nic] = observation.links.filter(({ name }) => name === 'eth0');
  if (nic === undefined) throw new TypeError('the case has no eth0');
  const made = { ...nic, name: 'ovs-netdev', kind: 'tun', addresses: [] };
  return { observation, links: [...observation.links, made] };
}

t.test('the internal device of the userspace data path is no NIC, and the hint does not name it', (t) => {
  const { observation, links } = withInternalDevice();
  const seen = { ...observation, links };
  t.throws(() => listWith(asked('eth9'), defaultConfig, seen), failure('interface-not-found', { hint: /: eth0$/ }));
  t.throws(() => listWith(asked('ovs-netdev'), defaultConfig, seen), failure('interface-unsuitable'));
  t.end();
});

t.test('a default route of the only NIC, which ovn.yaml gives to br-ex1, is not waited for', (t) => {
  const { observation, links } = withInternalDevice();
  const config = configOf(null, 'ovsInit:\n  externalGatewayInterface: eth0\n');
  for (const one of [observation.links, links])
    t.throws(
      () => planApply(config, { ...observation, links: one }, false),
      failure('config-invalid', { message: /eth0 as the uplink of br-ex1/ }),
    );
  t.end();
});
