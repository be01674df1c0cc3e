/** Tables that the planner has to know, by database. What it does not find there it takes as not there. */
export const overlayTables = {
  OVN_Northbound: [
    'NB_Global',
    'Connection',
    'SSL',
    'Logical_Switch',
    'Logical_Switch_Port',
    'Logical_Router',
    'Logical_Router_Port',
    'Logical_Router_Static_Route',
    'Logical_Router_Policy',
    'NAT',
    'ACL',
    'Gateway_Chassis',
    'Load_Balancer',
    'Load_Balancer_Group',
    'Static_MAC_Binding',
  ],
  OVN_Southbound: ['SB_Global', 'Connection', 'SSL', 'Chassis', 'Chassis_Private', 'Encap'],
  Open_vSwitch: ['Open_vSwitch', 'Bridge', 'Port', 'Interface'],
} as const;

/** Tables of OVN_Northbound that rows for objects of Kubernetes are in, or are held by. */
export const workloadTables = [
  'Logical_Switch',
  'Logical_Switch_Port',
  'Logical_Router',
  'Logical_Router_Port',
  'Load_Balancer',
  'Load_Balancer_Group',
  'Address_Set',
  'Port_Group',
  'ACL',
] as const;
