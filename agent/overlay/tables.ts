/**
 * Columns after whose change the node is looked at: those that are planned, and none in which OVN's and Open vSwitch's daemons report; null: every
 * column of rows of ours. Other rows of these tables come and go with every pod, and mean nothing here.
 */
export const followedColumns = {
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
    // Pods come and go in it.
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
  },
  Open_vSwitch: {
    Open_vSwitch: ['bridges', 'external_ids', 'other_config', 'ssl', 'ovs_version'],
    Bridge: ['name', 'external_ids', 'other_config', 'fail_mode', 'datapath_type'],
    Port: ['name', 'interfaces', 'tag', 'external_ids', 'other_config'],
    Interface: ['name', 'type', 'options', 'mac', 'mtu_request', 'external_ids', 'ofport'],
    SSL: ['private_key', 'certificate', 'ca_cert'],
  },
} as const;

/** Tables that the planner has to know, by database. What it does not find there it takes as not there. */
export const overlayTables = {
  OVN_Northbound: Object.keys(followedColumns.OVN_Northbound),
  OVN_Southbound: Object.keys(followedColumns.OVN_Southbound),
  Open_vSwitch: Object.keys(followedColumns.Open_vSwitch),
} as const;

/** Tables of OVN_Northbound that rows for objects of Kubernetes are in, or are held by. */
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
