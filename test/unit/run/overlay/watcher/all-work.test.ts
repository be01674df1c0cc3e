// A comparison of everything plans each object key once, and a pod without a port together with its groups.
import t from 'tap';
import type { Pod } from '../../../../../agent/model/workload.ts';
import { allWork } from '../../../../../agent/run/overlay/watcher/all-work.ts';
import type { WorkItem } from '../../../../../agent/run/overlay/watcher/work-queue.ts';
import { emptyWorkload } from '../../../../../agent/workload/empty-workload.ts';
import { readPod } from '../../../../../agent/workload/pods/read-pod.ts';
import { readPolicy } from '../../../../../agent/workload/policies/read-policy.ts';
import { exposure, modern, nodeOf } from '../../../overlay/cluster.ts';

function podOf(name: string): Pod {
  const metadata = { namespace: 'x', name, uid: `uid-${name}`, labels: { app: 'web' } };
  return readPod({ metadata, spec: { nodeName: 'n1', containers: [] } });
}

const policy = readPolicy({
  metadata: { namespace: 'x', name: 'closed', uid: 'p' },
  spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
});

/**
 * Returns the work for two pods and a policy that selects both. `b` has this port on this switch; `a` has a port of its
 * own.
 */
function workWith(uidOfPort: string | null, onSwitch = 'n1'): readonly WorkItem[] {
  const pods = new Map(['a', 'b'].map((name) => [`x/${name}`, podOf(name)]));
  const facts = {
    layout: modern,
    nodes: [nodeOf(1)],
    exposure,
    workload: { ...emptyWorkload(), pods, policies: new Map([['x/closed', policy]]) },
    addresses: new Map([...pods.keys()].map((key) => [key, ['10.42.1.3/24']])),
  };
  const portOf = (uid: string) => ({ _uuid: uid, options: { 'iface-id-ver': uid } });
  const ports: Readonly<Record<string, unknown>> = {
    x_a: portOf('uid-a'),
    ...(uidOfPort !== null && { x_b: portOf(uidOfPort) }),
  };
  const existing = {
    named: (_: string, name: string) => ports[name] ?? null,
    parentOf: ({ _uuid }: { readonly _uuid: string }) => ({
      row: { _uuid: 'switch', name: _uuid === 'uid-a' ? 'n1' : onSwitch },
    }),
    objectKeys: () => new Set(['pod:x/a', 'pod:x/gone']),
  };
  return [...allWork({ existing: existing as never }, facts as never)].flatMap((item) => item ?? []);
}

const keysOf = (work: readonly WorkItem[]): readonly string[] => work.flatMap(({ objectKeys }) => [...objectKeys]);

t.test('pods with ports: each key once, the groups after the pods, and objects of which only rows are left', (t) => {
  const keys = keysOf(workWith('uid-b'));
  t.strictSame(keys, [...new Set(keys)]);
  t.strictSame(keys.slice(0, 2), ['pod:x/a', 'pod:x/b']);
  for (const key of ['policy:x/closed', 'namespace:x', 'pod:x/gone']) t.ok(keys.includes(key), key);
  t.end();
});

for (const [what, work] of [
  ['without a port', workWith(null)],
  ['whose port is that of an earlier pod', workWith('uid-before')],
  ['whose port is on the switch of another node', workWith('uid-b', 'n2')],
] as const)
  t.test(`a pod ${what} is planned together with its groups`, (t) => {
    const ofPod = (pod: string) => [...(work.find(({ of }) => of === pod)?.objectKeys ?? [])];
    t.strictSame(ofPod('pod:x/a'), ['pod:x/a']);
    t.ok(ofPod('pod:x/b').includes('policy:x/closed'));
    t.ok(ofPod('pod:x/b').includes('namespace:x'));
    t.end();
  });
