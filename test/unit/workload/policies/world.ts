// Simulated namespaces, pods and policies, with the logical ports of the pods.
import type { OverlayLayout, OverlayPlan } from '../../../../agent/model/overlay.ts';
import type {
  ClusterNetworkPolicy,
  ClusterNode,
  ContainerPort,
  Labels,
  Namespace,
  NetworkPolicy,
  ObjectChange,
  Pod,
} from '../../../../agent/model/workload.ts';
import { indexRows, type RowIndex } from '../../../../agent/overlay/rows/row-index.ts';
import { operationsOf, type RowOperation } from '../../../../agent/overlay/rows/row-operations.ts';
import { clusterPolicies } from '../../../../agent/workload/cluster-policies/cluster-policies.ts';
import { emptyWorkload } from '../../../../agent/workload/empty-workload.ts';
import type { WorkloadFacts } from '../../../../agent/workload/part.ts';
import { type ObjectKey, planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { policies } from '../../../../agent/workload/policies/policies.ts';
import { exposure } from '../../overlay/cluster.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';

const parts = [...policies, clusterPolicies];

export interface PolicyWorld {
  readonly namespaces: Map<string, Namespace>;
  readonly pods: Map<string, Pod>;
  readonly policies: Map<string, NetworkPolicy>;
  readonly clusterPolicies: Map<string, ClusterNetworkPolicy>;
  readonly nodes: Map<string, ClusterNode>;
  /** Addresses with their prefix lengths, by the key of the pod. */
  readonly addresses: Map<string, readonly string[]>;
}

export function emptyWorld(): PolicyWorld {
  return {
    namespaces: new Map(),
    pods: new Map(),
    policies: new Map(),
    clusterPolicies: new Map(),
    nodes: new Map(),
    addresses: new Map(),
  };
}

/** Returns a namespace with the labels that the API server sets. */
export function namespaceOf(name: string, labels: Labels = {}): Namespace {
  return { name, uid: `uid-${name}`, labels: { 'kubernetes.io/metadata.name': name, ...labels } };
}

/** Returns a pod with the label of the pods in the Kubernetes project's tests, and with their named ports. */
export function podOf(key: string, special: Partial<Pod> = {}): Pod {
  const [namespace = '', name = ''] = key.split('/');
  return {
    namespace,
    name,
    uid: `uid-${namespace}-${name}`,
    labels: { pod: name },
    annotations: {},
    nodeName: 'n1',
    isHostNetwork: false,
    isOver: false,
    podIPs: [],
    ports: [],
    ...special,
  };
}

export function portOf(
  name: string,
  containerPort: number,
  protocol: ContainerPort['protocol'] = 'TCP',
): ContainerPort {
  return { name, containerPort, protocol };
}

export function factsOf(layout: OverlayLayout, world: PolicyWorld): WorkloadFacts {
  const { namespaces, pods, policies, clusterPolicies, nodes, addresses } = world;
  return {
    layout,
    nodes: [],
    exposure,
    workload: { ...emptyWorkload(), namespaces, pods, policies, clusterPolicies, nodes },
    addresses,
  };
}

/** Returns the object keys of policies that the objects need, and those for which rows exist. */
export function policyUnitsOf(facts: WorkloadFacts, existing: RowIndex): readonly ObjectKey[] {
  const wanted = parts.flatMap((part) => [...part.keys(facts)].map((key) => `${part.kind}:${key}`));
  const kinds = parts.map(({ kind }) => `${kind}:`);
  const there = [...existing.objectKeys()].filter((unit) => kinds.some((kind) => unit.startsWith(kind)));
  return [...new Set([...wanted, ...there])];
}

export function allPolicyUnits(facts: WorkloadFacts, database: ModelDatabase): readonly ObjectKey[] {
  return policyUnitsOf(facts, indexRows(database.rows()));
}

export function concernedPolicyUnits(change: ObjectChange, facts: WorkloadFacts): readonly ObjectKey[] {
  return parts.flatMap((part) => [...part.concerned(change, facts)].map((key) => `${part.kind}:${key}`));
}

/** Plans these object keys and writes the rows; returns the plan. */
export function applied(facts: WorkloadFacts, database: ModelDatabase, units: readonly ObjectKey[]): OverlayPlan {
  const rows = database.rows();
  const plan = planWorkload(facts, indexRows(rows), rows.shape, units);
  database.transact(operationsOf(plan, rows.shape));
  return plan;
}

/** Creates the logical port of each pod, and removes those of pods that do not exist. */
export function setPorts(database: ModelDatabase, { pods }: PolicyWorld): void {
  const rows = database.rows();
  const there = indexRows(rows);
  const wanted = new Set(
    [...pods.values()].flatMap(({ namespace, name, nodeName, isHostNetwork, isOver }) =>
      nodeName === null || isHostNetwork || isOver ? [] : [`${namespace}_${name}`],
    ),
  );
  const node = there.named('Logical_Switch', 'n1');
  const operations: RowOperation[] = [];
  const added: string[] = [];
  for (const name of wanted) {
    if (there.named('Logical_Switch_Port', name) !== null) continue;
    const id = `port${added.length}`;
    added.push(id);
    operations.push({
      op: 'insert',
      table: 'Logical_Switch_Port',
      row: { name, external_ids: ['map', [['pod', 'true']]] },
      'uuid-name': id,
    });
  }
  const removed = there.all('Logical_Switch_Port').filter((row) => !wanted.has(String(row.name)));
  const references = (column: 'insert' | 'delete', ids: readonly string[]): RowOperation => ({
    op: 'mutate',
    table: 'Logical_Switch',
    where: [['name', '==', 'n1']],
    mutations: [['ports', column, ['set', ids.map((id) => [column === 'insert' ? 'named-uuid' : 'uuid', id])]]],
  });
  if (node === null)
    operations.unshift({ op: 'insert', table: 'Logical_Switch', row: { name: 'n1' }, 'uuid-name': 'n1' });
  operations.push(
    references('insert', added),
    references(
      'delete',
      removed.map(({ _uuid }) => _uuid),
    ),
  );
  database.transact(operations);
}
