// Plans for ten random edits of profile and ovn.yaml: the model of a node (test/unit/plan/model-node.ts) and a real
// node end in the same state.
import t from 'tap';
import { isAgentError } from '../../agent/errors.ts';
import type { Observation } from '../../agent/model/observation.ts';
import { planApply } from '../../agent/plan/make-plan.ts';
import { seededRandom } from '../unit/ovsdb/random.ts';
import { configOf } from '../unit/plan/cases.ts';
import { ModelNode } from '../unit/plan/model-node.ts';
import { nodeSkip } from './availability.ts';
import { bootNode, type TestNode } from './node.ts';

const configuration = '/etc/microshift/ovn.yaml';
const [rounds, editsPerRound] = [10, 3];

/** Properties of the NIC's profile, each with the values among which an edit chooses, in nmcli's notation. */
const properties: readonly (readonly [property: string, values: readonly string[]])[] = [
  ['ipv4.addresses', ['192.0.2.50/24', '192.0.2.50/24,192.0.2.61/24', '192.0.2.50/24,192.0.2.61/24,10.9.9.1/30']],
  ['ipv4.routes', ['', '198.51.100.0/24 192.0.2.7', '198.51.100.0/24 192.0.2.7 300,203.0.113.0/24 192.0.2.8']],
  ['ipv4.dns', ['', '192.0.2.2', '192.0.2.3,192.0.2.4']],
  ['ipv4.dns-search', ['', 'corp.example,lab.example']],
  ['ipv4.route-metric', ['-1', '77', '700']],
  ['ipv4.gateway', ['192.0.2.1']],
  ['ipv6.addresses', ['2001:db8::50/64', '2001:db8::50/64,2001:db8::61/64']],
  ['ipv6.routes', ['', '2001:db8:7::/48 2001:db8::7']],
  ['ipv6.dns', ['', '2001:db8::2']],
  ['802-3-ethernet.mtu', ['0', '1400', '1280']],
  ['connection.mdns', ['-1', '1']],
  ['connection.lldp', ['-1', '1']],
];
const texts = ['# as it comes\n', 'uplink: eth0\n', 'uplink: none\n', 'uplink: eth0\nmtu: 1300\n'];

t.test('a plan has the same result in the model and on a node', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'static-dual', kernel: 'of this machine', files: { [configuration]: '' } });
  t.teardown(() => node.halt());
  const random = seededRandom(2026);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  for (let round = 1; round <= rounds; round += 1) {
    const edits = Array.from({ length: editsPerRound }, () => pick(properties)).map(
      ([property, values]) => `${property} '${pick(values)}'`,
    );
    const text = pick(texts);
    const afterDisable = random(3) === 0;
    if (afterDisable) await node.text('microshift-net disable');
    await node.text(`nmcli connection modify eth0 ${edits.join(' ')}`);
    if (afterDisable || round === 1) await node.text('nmcli connection up eth0');
    await node.write(configuration, text);
    const title = `${round}: ${afterDisable ? 'after disable, ' : ''}${edits.join(', ')}, ${text.trim()}`;
    await t.test(title, async (t) => {
      const before = await observed(node);
      const planned = planFor(await node.text(`cat ${configuration}`), before);
      const run = await node.run('microshift-net apply');
      if (planned === null) {
        t.not(run.exitCode, 0, 'the agent and the model refuse the plan');
        t.strictSame(picture(await observed(node)), picture(before), 'the state of the node is unchanged');
        return;
      }
      t.equal(run.exitCode, 0, run.stderr);
      const model = new ModelNode(before);
      model.run(planned);
      t.strictSame(
        picture(await observed(node)),
        picture(model.observe()),
        'the node and the model have the same final state',
      );
    });
  }
});

async function observed(node: TestNode): Promise<Observation> {
  const { diagnostics } = JSON.parse(await node.text('microshift-net plan --output json --verbose'));
  return diagnostics.observation;
}

/** Returns the steps of the plan; null if it is refused. */
function planFor(text: string, observation: Observation) {
  try {
    const decision = planApply(configOf(null, text), observation, true);
    if (decision.kind !== 'planned') throw new Error('the plan waits');
    return decision.plan.steps;
  } catch (error) {
    if (isAgentError(error)) return null;
    throw error;
  }
}

/**
 * Returns the outcome of a run: bridges, profiles of IP interfaces, and the configuration of each device. It omits the
 * parts that only a real node adds: link-local addresses and their routes, devices without a profile, the device of the
 * userspace data path, and defaults that NetworkManager adds to a profile.
 */
function picture({ links, routes, networkManager: nm, ovs }: Observation): object {
  const idOf = new Map(nm.activeConnections.map(({ path, id }) => [path, id]));
  const isLinkLocal = (text: string): boolean => text.startsWith('fe80:');
  return {
    bridges: byName(ovs.bridges.map(({ name, ports }) => [name, ports.map((port) => port.name).toSorted()])),
    profiles: byName(
      nm.profiles.flatMap(({ id, settings }) => {
        const { connection: { timestamp: _, ...connection } = {}, ipv4, ipv6, '802-3-ethernet': ethernet } = settings;
        const isPort = connection['slave-type'] !== undefined || connection['port-type'] !== undefined;
        return isPort && !id.startsWith('ovs-if-')
          ? []
          : [[id, { connection, ipv4, ipv6, mtu: ethernet?.mtu ?? null }]];
      }),
    ),
    running: byName(
      nm.devices.flatMap(({ interface: name, type, activeConnection }) => {
        const id = idOf.get(activeConnection ?? '');
        return id === undefined ? [] : [[`${name} ${type}`, id]];
      }),
    ),
    links: byName(
      links
        .filter(({ name }) => name !== 'ovs-netdev')
        .map(({ name, mtuBytes, up, addresses }) => {
          const own = addresses.map(({ address, prefixLength }) => `${address}/${prefixLength}`).toSorted();
          return [name, { mtuBytes, up, addresses: own.filter((address) => !isLinkLocal(address)) }];
        }),
    ),
    routes: routes
      .filter(({ destination }) => !isLinkLocal(destination))
      .map(({ destination, gateway, device, metric }) => `${destination} via ${gateway} dev ${device} metric ${metric}`)
      .toSorted(),
  };
}

function byName(entries: readonly (readonly [name: string, value: unknown])[]): object {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
