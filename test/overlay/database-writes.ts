// Counter of the writes to the databases of a node, with a monitor on each.
import { connect, type OvsdbClient } from '../../agent/drivers/ovsdb/index.ts';
import type { Host } from './hosts.ts';

const limitMs = 60_000;

/** Columns that only the agent writes, by database, without columns in which daemons report; null for all columns. */
const writtenColumns = {
  OVN_Northbound: {
    NB_Global: ['connections', 'ssl', 'options', 'external_ids'],
    Logical_Switch: null,
    Logical_Switch_Port: ['name', 'type', 'options', 'addresses', 'port_security', 'external_ids'],
    Logical_Router: null,
    Logical_Router_Port: ['name', 'mac', 'networks', 'gateway_chassis', 'options', 'external_ids'],
    Logical_Router_Policy: null,
    Logical_Router_Static_Route: null,
    Gateway_Chassis: null,
    NAT: null,
    Static_MAC_Binding: null,
    ACL: null,
    Load_Balancer: null,
    Load_Balancer_Group: null,
    Address_Set: null,
    Port_Group: null,
  },
  OVN_Southbound: {
    SB_Global: ['connections', 'ssl'],
    Connection: ['target', 'role', 'inactivity_probe', 'external_ids'],
    SSL: null,
    Chassis: ['name', 'hostname'],
  },
  Open_vSwitch: {
    Open_vSwitch: ['bridges', 'external_ids', 'other_config', 'ssl'],
    Bridge: ['name', 'ports', 'external_ids', 'other_config', 'fail_mode', 'datapath_type'],
    Port: ['name', 'interfaces', 'external_ids', 'other_config'],
    Interface: ['name', 'type', 'mac', 'mtu_request', 'external_ids'],
    SSL: null,
  },
} as const;

const sockets = {
  OVN_Northbound: '/run/ovn/ovnnb_db.sock',
  OVN_Southbound: '/run/ovn/ovnsb_db.sock',
  Open_vSwitch: '/run/openvswitch/db.sock',
} as const;

/**
 * Runs `work`, and returns the names of the databases that were written meanwhile, once for each transaction.
 */
export async function writesDuring(
  host: Host,
  databases: readonly (keyof typeof writtenColumns)[],
  work: () => void | Promise<void>,
): Promise<readonly string[]> {
  const written: string[] = [];
  const open: OvsdbClient[] = [];
  try {
    for (const database of databases) {
      const client = await connect(host.path(sockets[database]), limitMs);
      open.push(client);
      const requests = Object.entries(writtenColumns[database]).map(([table, names]) => {
        const wanted = names === null ? {} : { columns: [...names] };
        return [table, [{ ...wanted, select: { initial: false } }]] as const;
      });
      client.onNotice((method) => {
        if (method === 'update') written.push(database);
      });
      await client.call('monitor', [database, 'writes', Object.fromEntries(requests)]);
    }
    await work();
    // A server sends its updates before the reply to a later request.
    for (const client of open) await client.call('echo', []);
    return written;
  } finally {
    for (const client of open) client.close();
  }
}
