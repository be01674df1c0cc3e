import type { DatabaseShape } from '../model/rows.ts';
import { tagKeys } from './tag-keys.ts';

type Condition = readonly [string, string, unknown];

/** Columns of a table, and of which rows; without `where` of every one. */
export interface FollowedTable {
  readonly columns: readonly string[];
  readonly where?: readonly Condition[];
}

/**
 * Columns after whose change the node is looked at: those that are planned, and none in which OVN's and Open vSwitch's daemons report; null: every
 * column of rows of ours. Other rows of these tables come and go with every pod, and mean nothing here.
 */
const columns = {
  OVN_Northbound: {
    NB_Global: ['connections', 'ssl', 'options', 'external_ids'],
    Connection: ['target', 'role', 'inactivity_probe'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
    Logical_Switch: null,
    Logical_Switch_Port: ['name', 'type', 'options', 'addresses', 'port_security', 'tag', 'external_ids'],
    Logical_Router: null,
    Logical_Router_Port: ['name', 'mac', 'networks', 'gateway_chassis', 'options', 'external_ids'],
    Logical_Router_Static_Route: null,
    Logical_Router_Policy: null,
    NAT: null,
    ACL: null,
    Gateway_Chassis: null,
    Load_Balancer: null,
    // Services come and go in it.
    Load_Balancer_Group: ['name'],
    Static_MAC_Binding: ['logical_port', 'ip', 'mac', 'override_dynamic_mac'],
  },
  OVN_Southbound: {
    SB_Global: ['connections', 'ssl'],
    Connection: ['target', 'role', 'inactivity_probe'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
    Chassis: ['name', 'hostname', 'encaps', 'other_config'],
    Chassis_Private: ['name'],
    Encap: ['ip', 'type', 'chassis_name'],
  },
  Open_vSwitch: {
    Open_vSwitch: ['bridges', 'external_ids', 'other_config', 'ssl', 'ovs_version'],
    Bridge: ['name', 'external_ids', 'other_config', 'fail_mode', 'datapath_type'],
    Port: ['name', 'interfaces', 'tag', 'external_ids', 'other_config'],
    Interface: ['name', 'type', 'options', 'mac', 'mtu_request', 'external_ids', 'ofport'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
  },
} as const;

/** A database of which changes are followed. */
export type FollowedDatabase = keyof typeof columns;

/** Tables whose rows are not all ours although they have a place for an owner: who registers, roots, and br-int, which others may have made. */
const wholeTables: readonly string[] = [
  'NB_Global',
  'SB_Global',
  'Open_vSwitch',
  'Bridge',
  'Chassis',
  'Chassis_Private',
];

/** Rows of Open vSwitch that a node's way out depends on, and that have no owner. */
export interface FollowedWayOut {
  /** What ovn-controller's port on the bridge stands for. */
  readonly localnetPort: string;
  /** That port. */
  readonly clusterPort: string;
  /** Of the NIC, whose number is another one each time that it is put into the bridge. */
  readonly mac: string;
}

/** What is followed of a database with this schema. Of several conditions one has to hold (ovsdb-server(7), monitor_cond). */
export function followedTables(
  database: FollowedDatabase,
  shape: DatabaseShape,
  owner: string,
  wayOut: FollowedWayOut | null,
): Readonly<Record<string, FollowedTable>> {
  const wanted = Object.entries(columns[database] as Readonly<Record<string, readonly string[] | null>>);
  return Object.fromEntries(
    wanted.flatMap(([table, names]) => {
      const there = Object.keys(shape[table] ?? {});
      const followed = names === null ? there : names.filter((name) => there.includes(name));
      if (followed.length === 0) return [];
      if (!there.includes('external_ids') || wholeTables.includes(table)) return [[table, { columns: followed }]];
      const where = [has(tagKeys.owner, owner), ...(wayOut === null ? [] : ofWayOut(table, wayOut))];
      return [[table, { columns: [...new Set([...followed, 'external_ids'])], where }]];
    }),
  );
}

function ofWayOut(table: string, { localnetPort, clusterPort, mac }: FollowedWayOut): readonly Condition[] {
  if (table === 'Port') return [has('ovn-localnet-port', localnetPort)];
  if (table !== 'Interface') return [];
  return [
    ['name', '==', clusterPort],
    ['mac_in_use', '==', mac],
  ];
}

function has(key: string, value: string): Condition {
  return ['external_ids', 'includes', ['map', [[key, value]]]];
}
