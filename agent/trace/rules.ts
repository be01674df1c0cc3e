import type { TraceFlow, TraceRule } from '../model/overlay-trace.ts';
import type { DatabaseRow, DatabaseRows } from '../model/rows.ts';
import { mapOf, textOf } from '../overlay/rows/row-index.ts';
import { tagKeys } from '../overlay/rows/tag-keys.ts';

/** Tables of OVN_Northbound whose rows decide about a packet, and the columns that a trace needs. */
export const northboundColumns: Readonly<Record<string, readonly string[]>> = {
  ACL: ['name', 'action', 'direction', 'match', 'priority', 'external_ids'],
  Load_Balancer: ['name', 'external_ids'],
  NAT: ['type', 'logical_ip', 'external_ip', 'external_ids'],
  Logical_Router_Static_Route: ['ip_prefix', 'nexthop', 'external_ids'],
  Logical_Router_Policy: ['priority', 'match', 'action', 'external_ids'],
};

export interface RuleBook {
  /**
   * Returns the flow with these first eight digits of its UUID, which are also its cookie in Open vSwitch; null if no
   * flow has them.
   */
  flow(id: string): TraceFlow | null;
  /**
   * Returns the source address that a router gives to packets of its load balancers when they leave by a port
   * (ovn-nb(5), Logical_Router options:lb_force_snat_ip); null if the router keeps the source. Between the ingress and
   * the egress pipeline, ovn-trace loses the flag for this translation.
   */
  forcedSource(datapath: string, outPort: string, isSix: boolean): string | null;
}

/**
 * Creates a rule book, which finds the row of the northbound database that decides a flow. For each flow, ovn-northd
 * writes the stage, and the first eight digits of the UUID of the row that decides the flow (ovn-sb(5), Logical_Flow
 * external_ids). The northbound database is only on the central node. On other nodes, the rule book names only load
 * balancers, because the southbound database contains their rows as well.
 */
export function ruleBook(southbound: DatabaseRows, northbound: DatabaseRows | null): RuleBook {
  const flows = new Map((southbound.tables.Logical_Flow ?? []).map((row) => [shortId(row._uuid), row]));
  const forced = [...flows.values()].filter((row) => textOf(row, 'match').includes('flags.force_snat_for_lb == 1'));
  const rules = new Map<string, TraceRule>();
  const note = (table: string, row: DatabaseRow, uuid: string): void => {
    const id = shortId(uuid);
    rules.set(id, { table, id, name: nameOf(row), says: contentOf(table, row) });
  };
  for (const row of southbound.tables.Load_Balancer ?? [])
    note('Load_Balancer', row, mapOf(row, 'external_ids').lb_id ?? row._uuid);
  for (const [table, rows] of Object.entries(northbound?.tables ?? {}))
    for (const row of rows) note(table, row, row._uuid);
  return {
    forcedSource: (datapath, outPort, isSix) => {
      const flow = forced.find((row) => {
        const match = textOf(row, 'match');
        const isHere = match.includes('outport ==')
          ? match.includes(`outport == ${JSON.stringify(outPort)}`)
          : textOf(row, 'logical_datapath') === datapath;
        return isHere && match.includes(isSix ? 'ip6' : 'ip4');
      });
      return /^ct_snat\w*\(([^)]*)\)/.exec(textOf(flow ?? null, 'actions'))?.[1] ?? null;
    },
    flow: (id) => {
      const row = flows.get(id);
      if (row === undefined) return null;
      const { 'stage-name': stage = '', 'stage-hint': hint = '' } = mapOf(row, 'external_ids');
      const match = textOf(row, 'match');
      return { stage, match, rule: rules.get(hint) ?? (northbound === null ? nameless(stage, hint, match) : null) };
    },
  };
}

/**
 * Returns the rule of a flow on a node without the northbound database. The rule has an empty name, and its content is
 * the match of the flow. Returns null if the flow comes from no row of the northbound database, or if its stage does
 * not show the table of that row.
 */
function nameless(stage: string, id: string, match: string): TraceRule | null {
  const isBalanced = stage === 'lr_in_dnat' && /\bct\.new\b/.test(match);
  const isTranslated = /^lr_(?:in|out)_[sd]nat/.test(stage);
  const table = isAclStage(stage) ? 'ACL' : isBalanced ? 'Load_Balancer' : isTranslated ? 'NAT' : null;
  return id === '' || table === null ? null : { table, id, name: '', says: match };
}

/** Returns true for a stage that evaluates ACLs or carries out their action. */
export function isAclStage(stage: string): boolean {
  return /^ls_(?:in|out)_acl/.test(stage);
}

function shortId(uuid: string): string {
  return uuid.slice(0, 8);
}

/**
 * Returns the name of the peer or Kubernetes object from which a row was made, as external_ids has it; the name of the
 * row if external_ids names neither.
 */
function nameOf(row: DatabaseRow): string {
  const ids = mapOf(row, 'external_ids');
  const peer = ids[tagKeys.peer];
  if (peer !== undefined) return `peer ${peer}`;
  const kind = ids['k8s.ovn.org/owner-type'] ?? ids['k8s.ovn.org/kind'];
  const owner = ids['k8s.ovn.org/owner'] ?? ids['k8s.ovn.org/name'];
  if (kind === 'ClusterNetworkPolicy' && owner !== undefined) return `${kind} ${owner} of the ${ids.tier} tier`;
  return kind === undefined || owner === undefined ? textOf(row, 'name') : `${kind} ${owner.replace(':', '/')}`;
}

function contentOf(table: string, row: DatabaseRow): string {
  const text = (column: string): string => textOf(row, column);
  switch (table) {
    case 'NAT':
      return `${text('type')} ${text('logical_ip')} as ${text('external_ip')}`;
    case 'Logical_Router_Static_Route':
      return `${text('ip_prefix')} via ${text('nexthop')}`;
    case 'Load_Balancer':
      return '';
    default:
      return `${text('action')}, priority ${text('priority')}: ${text('match')}`;
  }
}
