import type {
  LabelSelector,
  NetworkPolicy,
  PolicyPeer,
  PolicyPort,
  PolicyRule,
  Protocol,
} from '../../model/workload.ts';

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

/** What the API server says of a policy (networking.k8s.io/v1 NetworkPolicy); defaults are filled in as its documentation has them. Never throws. */
export function readPolicy(object: unknown): NetworkPolicy {
  const { metadata, spec } = object as ApiPolicy;
  const egress = spec?.egress ?? [];
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    podSelector: spec?.podSelector ?? {},
    policyTypes: spec?.policyTypes ?? (egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']),
    ingress: (spec?.ingress ?? []).map((rule) => ruleOf(rule, rule.from)),
    egress: egress.map((rule) => ruleOf(rule, rule.to)),
  };
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
