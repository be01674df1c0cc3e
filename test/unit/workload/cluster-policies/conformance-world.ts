// The cluster of the conformance cases: four namespaces with two pods each, on two nodes.
import type { ObjectChange } from '../../../../agent/model/workload.ts';
import { withoutLength } from '../../../../agent/overlay/addresses.ts';
import { emptyWorld, namespaceOf, type PolicyWorld, podOf, portOf } from '../policies/world.ts';
import { type ConformanceStep, conformanceCases, peers, subject } from './conformance-cases.ts';

const named = [portOf('web', 80), portOf('dns', 53, 'UDP')];

export function conformanceWorld(): PolicyWorld {
  const world = emptyWorld();
  for (const [row, name] of [subject, ...peers].entries()) {
    world.namespaces.set(name, namespaceOf(name, { 'conformance-house': name }));
    for (const id of [1, 2]) {
      const key = `${name}/pod-${id}`;
      world.pods.set(key, podOf(key, { nodeName: `n${id}`, ports: named }));
      world.addresses.set(key, [`10.42.${id}.${10 + row}/24`]);
    }
  }
  for (const id of [1, 2])
    world.nodes.set(`n${id}`, { name: `n${id}`, uid: `uid-n${id}`, labels: { 'kubernetes.io/os': 'linux' } });
  return world;
}

/** Cases whose ranges are the addresses of the pods in this cluster. */
export const cases = conformanceCases(
  [...conformanceWorld().addresses]
    .filter(([key]) => key.startsWith('ravenclaw') || key.startsWith('hufflepuff'))
    .map(([, [address = '']]) => withoutLength(address)),
);

/** Makes the changes that begin a step, and returns the changed objects. */
export function changeCluster(world: PolicyWorld, step: ConformanceStep): readonly ObjectChange[] {
  const changes: ObjectChange[] = [];
  const wanted = new Map(step.cluster.map((policy) => [policy.name, policy]));
  for (const name of new Set([...world.clusterPolicies.keys(), ...wanted.keys()])) {
    const [before, now] = [world.clusterPolicies.get(name), wanted.get(name)];
    if (now === undefined) world.clusterPolicies.delete(name);
    else world.clusterPolicies.set(name, now);
    changes.push({ kind: 'ClusterNetworkPolicy', ...(before && { before }), ...(now && { now }) });
  }
  const policies = new Map(Object.entries(step.policies ?? {}));
  for (const key of new Set([...world.policies.keys(), ...policies.keys()])) {
    const [before, now] = [world.policies.get(key), policies.get(key)];
    if (now === undefined) world.policies.delete(key);
    else world.policies.set(key, now);
    changes.push({ kind: 'NetworkPolicy', ...(before && { before }), ...(now && { now }) });
  }
  for (const [name, labels] of Object.entries(step.namespaceLabels ?? {})) {
    const before = world.namespaces.get(name);
    if (before === undefined) continue;
    const now = { ...before, labels: { ...before.labels, ...labels } };
    world.namespaces.set(name, now);
    changes.push({ kind: 'Namespace', before, now });
  }
  return changes;
}
