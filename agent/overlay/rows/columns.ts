import type { DatabaseShape } from '../../model/rows.ts';

type DatabaseName = 'OVN_Northbound' | 'OVN_Southbound' | 'Open_vSwitch';

/**
 * Tables and columns that plans write, by database, and the purpose of each table (ovn-nb(5), ovn-sb(5),
 * ovs-vswitchd.conf.db(5)).
 */
export const writtenTables: Readonly<
  Record<DatabaseName, Readonly<Record<string, { readonly for: string; readonly columns: readonly string[] }>>>
> = {
  OVN_Northbound: {
    Logical_Switch: {
      for: 'the subnets of the nodes',
      columns: ['name', 'ports', 'acls', 'load_balancer', 'load_balancer_group', 'other_config', 'external_ids'],
    },
    Logical_Switch_Port: {
      for: 'the interfaces of nodes, pods and other hosts',
      columns: [
        'name',
        'type',
        'addresses',
        'port_security',
        'options',
        'parent_name',
        'tag_request',
        'enabled',
        'external_ids',
      ],
    },
    Logical_Router: {
      for: 'the ways between the subnets',
      columns: [
        'name',
        'ports',
        'policies',
        'static_routes',
        'nat',
        'options',
        'load_balancer',
        'load_balancer_group',
        'external_ids',
      ],
    },
    Logical_Router_Port: {
      for: 'the addresses of the routers',
      columns: ['name', 'mac', 'networks', 'gateway_chassis', 'options', 'external_ids'],
    },
    Logical_Router_Static_Route: {
      for: 'the gateways of the cluster',
      columns: ['ip_prefix', 'nexthop', 'output_port', 'policy', 'external_ids'],
    },
    Logical_Router_Policy: {
      for: "a node's own addresses, as its pods reach them",
      columns: ['priority', 'match', 'action', 'nexthops', 'external_ids'],
    },
    Gateway_Chassis: {
      for: 'traffic to a subnet that goes straight to its node',
      columns: ['name', 'chassis_name', 'priority', 'external_ids'],
    },
    NAT: {
      for: 'the address of the node, which packets get on their way out',
      columns: ['type', 'logical_ip', 'external_ip', 'allowed_ext_ips', 'exempted_ext_ips', 'external_ids'],
    },
    ACL: {
      for: 'what a node may send to its own pods, and what network policies allow',
      columns: ['name', 'direction', 'priority', 'match', 'action', 'options', 'external_ids'],
    },
    Address_Set: {
      for: 'the pods that network policies and gateways speak of',
      columns: ['name', 'addresses', 'external_ids'],
    },
    Port_Group: {
      for: 'the pods of a network policy, and the clients of a service with source ranges',
      columns: ['name', 'ports', 'acls', 'external_ids'],
    },
    Static_MAC_Binding: {
      for: 'the way from a gateway to the host beside it',
      columns: ['logical_port', 'ip', 'mac', 'override_dynamic_mac'],
    },
    Load_Balancer: {
      for: 'services',
      columns: ['name', 'protocol', 'vips', 'options', 'selection_fields', 'external_ids'],
    },
    Load_Balancer_Group: { for: 'services', columns: ['name', 'load_balancer'] },
  },
  OVN_Southbound: {
    SB_Global: { for: 'connections of the nodes', columns: ['connections', 'ssl'] },
    Connection: {
      for: 'connections of the nodes, and what each may write',
      columns: ['target', 'role', 'inactivity_probe', 'external_ids'],
    },
    SSL: {
      for: 'certificates of the connections',
      columns: ['private_key', 'certificate', 'ca_cert', 'external_ids'],
    },
  },
  Open_vSwitch: {
    Open_vSwitch: {
      for: 'settings of ovn-controller',
      columns: ['bridges', 'external_ids', 'other_config', 'ssl'],
    },
    Bridge: {
      for: 'the bridge br-int',
      columns: ['name', 'ports', 'fail_mode', 'datapath_type', 'other_config', 'external_ids'],
    },
    Port: { for: 'the management port', columns: ['name', 'interfaces', 'tag', 'external_ids'] },
    Interface: {
      for: 'the management port',
      columns: ['name', 'type', 'mac', 'mtu_request', 'options', 'external_ids'],
    },
    SSL: {
      for: 'the certificate of ovn-controller',
      columns: ['private_key', 'certificate', 'ca_cert', 'external_ids'],
    },
  },
};

/** Table or column that plans write and that a schema does not have. */
export interface MissingColumn {
  /** Name such as `OVN_Northbound.NAT.external_ip`; without a column if the whole table is missing. */
  readonly name: string;
  /** Purpose of the table, which is not fulfilled if the table or column is missing. */
  readonly for: string;
}

/**
 * Returns the tables and columns that plans write and a database does not have. The schema of the database decides, not
 * its release, because distributions backport and revert changes.
 */
export function missingColumns(database: DatabaseName, shape: DatabaseShape): readonly MissingColumn[] {
  return Object.entries(writtenTables[database]).flatMap(([table, { for: purpose, columns }]) => {
    const there = shape[table];
    if (there === undefined) return [{ name: `${database}.${table}`, for: purpose }];
    return columns
      .filter((column) => !Object.hasOwn(there, column))
      .map((column) => ({ name: `${database}.${table}.${column}`, for: purpose }));
  });
}
