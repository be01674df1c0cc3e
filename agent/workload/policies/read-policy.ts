import type {
  LabelSelector,
  NetworkPolicy,
  PolicyPeer,
  PolicyPort,
  PolicyRule,
  Protocol,
} from '../../model/workload.ts';
import { overBudget } from '../budget.ts';
import { usedBy } from './used.ts';

interface ApiPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr?: string; readonly except?: readonly string[] };
}

interface ApiRule {
  readonly from?: readonly ApiPeer[];
  readonly to?: readonly ApiPeer[];
  readonly ports?: readonly {
    readonly protocol?: Protocol;
    readonly port?: number | string;
    readonly endPort?: number;
  }[];
}

interface ApiPolicy {
  readonly metadata?: { readonly namespace?: string; readonly name?: string; readonly uid?: string } | null;
  readonly spec?: {
    readonly podSelector?: LabelSelector | null;
    readonly policyTypes?: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly ApiRule[] | null;
    readonly egress?: readonly ApiRule[] | null;
  } | null;
}

/**
 * Longest pod selector of a refused policy, in characters of JSON. A longer one is replaced by a selector of every pod
 * in the namespace, because a long selector would take too much time: it is evaluated for each pod.
 */
const longestSelector = 10_000;

/**
 * Reads a policy (networking.k8s.io/v1 NetworkPolicy) with the defaults of the API's documentation. A policy beyond its
 * budget isolates its pods and allows nothing; if its pod selector is too long as well, it isolates all pods of its
 * namespace. Never throws.
 */
export function readPolicy(object: unknown): NetworkPolicy {
  const { metadata, spec } = object as ApiPolicy;
  const [ingress, egress] = [spec?.ingress ?? [], spec?.egress ?? []];
  const policy: NetworkPolicy = {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    podSelector: spec?.podSelector ?? {},
    policyTypes: spec?.policyTypes ?? (egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']),
    ingress: ingress.map((rule) => ruleOf(rule, rule.from)),
    egress: egress.map((rule) => ruleOf(rule, rule.to)),
  };
  const refusal = overBudget('NetworkPolicy', policy, usedBy([...policy.ingress, ...policy.egress]));
  if (refusal === null) return policy;
  const isLong = JSON.stringify(policy.podSelector).length > longestSelector;
  return { ...policy, ...(isLong && { podSelector: {} }), ingress: [], egress: [], refusal };
}

function ruleOf({ ports }: ApiRule, peers: readonly ApiPeer[] | undefined): PolicyRule {
  return { peers: (peers ?? []).map(peerOf), ports: (ports ?? []).map(portOf) };
}

function peerOf({ podSelector, namespaceSelector, ipBlock }: ApiPeer): PolicyPeer {
  return {
    ...(podSelector && { podSelector }),
    ...(namespaceSelector && { namespaceSelector }),
    ...(ipBlock && { ipBlock: { cidr: ipBlock.cidr ?? '', except: ipBlock.except ?? [] } }),
  };
}

function portOf({ protocol, port, endPort }: NonNullable<ApiRule['ports']>[number]): PolicyPort {
  return { protocol: protocol ?? 'TCP', port: port ?? null, endPort: endPort ?? null };
}
