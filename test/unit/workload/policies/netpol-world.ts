// The cluster of the Kubernetes project's cases: three namespaces with three pods each, which serve ports 80 and 81
// with all protocols.
import type { ObjectChange, Protocol } from '../../../../agent/model/workload.ts';
import { addressOf, type Step } from './netpol-cases.ts';
import { emptyWorld, namespaceOf, type PolicyWorld, podOf, portOf } from './world.ts';

const protocols: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
const ports = [80, 81].flatMap((port) =>
  protocols.map((protocol) => portOf(`serve-${port}-${protocol.toLowerCase()}`, port, protocol)),
);

export function netpolWorld(): PolicyWorld {
  const world = emptyWorld();
  for (const name of ['x', 'y', 'z']) world.namespaces.set(name, namespaceOf(name));
  for (const [key, address] of Object.entries(addressOf)) {
    world.pods.set(key, podOf(key, { nodeName: nodeOf(address), ports }));
    world.addresses.set(key, [`${address}/24`]);
  }
  return world;
}

/** Returns the name of the node whose subnet contains this address of a pod. */
export function nodeOf(address: string): string {
  return `n${address.split('.')[2]}`;
}

/** Makes the changes that begin a step, and returns the changed objects. */
export function changeWorld(world: PolicyWorld, step: Step): readonly ObjectChange[] {
  const changes: ObjectChange[] = [];
  for (const [key, policy] of Object.entries(step.policies ?? {})) {
    const before = world.policies.get(key);
    if (policy === null) world.policies.delete(key);
    else world.policies.set(key, policy);
    changes.push({ kind: 'NetworkPolicy', ...(before && { before }), ...(policy && { now: policy }) });
  }
  for (const [key, labels] of Object.entries(step.podLabels ?? {})) {
    const before = world.pods.get(key);
    if (before === undefined) continue;
    const now = { ...before, labels };
    world.pods.set(key, now);
    changes.push({ kind: 'Pod', before, now });
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
