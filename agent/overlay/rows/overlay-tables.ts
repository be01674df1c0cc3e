/**
 * Columns whose changes make the daemon plan again, by database and table: the columns that plans read and write.
 * Columns in which the daemons of OVN and Open vSwitch report their state are included only if plans depend on them.
 * The value null stands for every column. In most of these tables only rows of this product are monitored, because
 * other rows change with every pod.
 */
export const followedColumns = {
  OVN_Northbound: {
    NB_Global: ['connections', 'ssl', 'options', 'external_ids'],
    Connection: ['target', 'role', 'inactivity_probe'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
    // The column `ports` of Logical_Switch is not monitored, because it changes with every pod. The rows of this
    // product's own ports are monitored in the table Logical_Switch_Port.
    Logical_Switch: ['name', 'acls', 'load_balancer', 'load_balancer_group', 'other_config', 'external_ids'],
    Logical_Switch_Port: [
      'name',
      'type',
      'options',
      'addresses',
      'port_security',
      'parent_name',
      'tag_request',
      'tag',
      'external_ids',
    ],
    Logical_Router: null,
    Logical_Router_Port: ['name', 'mac', 'networks', 'gateway_chassis', 'options', 'external_ids'],
    Logical_Router_Static_Route: null,
    Logical_Router_Policy: null,
    NAT: null,
    ACL: null,
    Gateway_Chassis: null,
    Load_Balancer: null,
    // The column `load_balancer` of Load_Balancer_Group is not monitored, because it changes with every service.
    Load_Balancer_Group: ['name'],
    // The column `addresses` of Address_Set is not monitored, because it changes with every pod.
    Address_Set: ['name'],
    Static_MAC_Binding: ['logical_port', 'ip', 'mac', 'override_dynamic_mac'],
  },
  OVN_Southbound: {
    SB_Global: ['connections', 'ssl', 'external_ids'],
    Connection: ['target', 'role', 'inactivity_probe'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
    Chassis: ['name', 'hostname', 'encaps', 'other_config'],
    Chassis_Private: ['name'],
    Encap: ['ip', 'type', 'chassis_name'],
    // Rows of Port_Binding are monitored only for the ports of distributed gateways.
    Port_Binding: ['logical_port', 'type', 'chassis'],
  },
  Open_vSwitch: {
    Open_vSwitch: ['bridges', 'external_ids', 'other_config', 'ssl', 'ovs_version'],
    Bridge: ['name', 'external_ids', 'other_config', 'fail_mode', 'datapath_type'],
    Port: ['name', 'interfaces', 'tag', 'external_ids', 'other_config'],
    Interface: ['name', 'type', 'options', 'mac', 'mtu_request', 'external_ids', 'ofport', 'bfd_status'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
  },
} as const;

/** Condition that selects the ports of distributed gateways in the southbound database (ovn-sb(5), Port_Binding). */
export const redirectPorts = [['type', '==', 'chassisredirect']] as const;

/**
 * Tables that the planner reads as a whole, by database. Port_Binding is not included, because it has a row for each
 * pod.
 */
export const overlayTables = {
  OVN_Northbound: Object.keys(followedColumns.OVN_Northbound),
  OVN_Southbound: Object.keys(followedColumns.OVN_Southbound).filter((table) => table !== 'Port_Binding'),
  Open_vSwitch: Object.keys(followedColumns.Open_vSwitch),
} as const;

/** Tables of OVN_Northbound with rows for objects of Kubernetes, and tables that refer to such rows. */
export const workloadTables = [
  'Logical_Switch',
  'Logical_Switch_Port',
  'Logical_Router',
  'Logical_Router_Port',
  'Logical_Router_Policy',
  'Load_Balancer',
  'Load_Balancer_Group',
  'Address_Set',
  'Port_Group',
  'ACL',
] as const;
