// Addresses on lo for MicroShift while br-ex has no address, because its lease has expired and no new one exists.
import t from 'tap';
import type { KernelEntries } from '../../../agent/model/kernel-entries.ts';
import { endlessDhcpTimeout, loopbackMetric } from '../../../agent/model/limits.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planApply, planDisable } from '../../../agent/plan/make-plan.ts';
import { appliedCase } from './cases.ts';
import { changed } from './change.ts';

const { config, observation } = appliedCase('dhcp');

/** Returns a node with MicroShift: lo has an address that the agent added, and br-ex has these addresses. */
function node(addresses: readonly string[]): Observation {
  const given = { address: '192.0.2.50', prefixLength: 32, family: 4, scope: 'host' };
  const flags = { temporary: false, tentative: false, dadFailed: false };
  const entry = { address: '192.0.2.50/32', metric: loopbackMetric, noDad: false, deprecated: false, scope: 'host' };
  const foreign: KernelEntries = { interface: 'lo', addresses: [entry], routes: [], neighbours: [] };
  const own = addresses.map((address) => ({ address, prefixLength: 24, family: 4, scope: 'global', ...flags }));
  const seen = changed(observation, {
    'links/[name=br-ex]/addresses': own,
    'links/[name=lo]/addresses/[+]': { ...given, ...flags },
    'host/hasMicroShift': true,
    ...(addresses.length === 0 ? { routes: [] } : {}),
  });
  return { ...seen, foreign: [foreign] };
}

function differences(seen: Observation): readonly string[] {
  const decision = planApply(config, seen, true);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  return decision.plan.differences.map((one) => (one.kind === 'loopback' ? `${one.address} ${one.wanted}` : one.kind));
}

t.test('the DHCP client of br-ex has no time limit', (t) => {
  const profile = observation.networkManager.profiles.find(({ id }) => id === 'ovs-if-br-ex');
  t.strictSame(profile?.settings.ipv4?.['dhcp-timeout'], ['i', endlessDhcpTimeout]);
  t.end();
});

t.test('lo keeps an address until br-ex has another one', (t) => {
  t.strictSame(differences(node(['192.0.2.50'])), [], 'no difference while br-ex has its lease');
  t.strictSame(differences(node([])), [], 'no difference after the lease has ended');
  t.strictSame(
    differences(node(['192.0.2.60'])),
    ['192.0.2.60/32 present', '192.0.2.50/32 absent'],
    'lo follows the address of another lease',
  );
  t.end();
});

t.test('other hosts get no answer for the addresses of lo', (t) => {
  const decision = planApply(config, node(['192.0.2.60']), true);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  const given = decision.plan.steps.flatMap((step) =>
    step.do === 'changeKernel' && step.entries.interface === 'lo' ? step.entries.addresses : [],
  );
  t.match(given, [{ address: '192.0.2.60/32', scope: 'host' }]);
  t.end();
});

t.test('disable removes the address from lo, with or without a lease', (t) => {
  for (const seen of [node(['192.0.2.50']), node([])]) {
    const removed = planDisable(seen).steps.flatMap((step) => (step.do === 'changeKernel' ? (step.removed ?? []) : []));
    t.strictSame(removed, ['192.0.2.50/32']);
  }
  t.end();
});
