// Rights of a member's certificate to rows of other members, table by table, as ovn-northd grants them, ovsdb-server
// enforces them, and the documentation names them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { run } from '../../agent/drivers/host/process/exec.ts';
import { type Credentials, connect, type JsonObject, type OvsdbClient } from '../../agent/drivers/ovsdb/index.ts';
import { initAuthority, issueFor } from '../../agent/run/overlay/certificates/authority.ts';
import { type Central, startCentral } from './central.ts';
import { ownRelease, type Release, releasesHere } from './releases.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 60_000;
const database = 'OVN_Southbound';
const [member, other] = ['n3-of-the-test', 'n2-of-the-test'];

type Row = Readonly<Record<string, unknown>>;

/** Rights to rows of other members: kinds of operations, and columns that may be updated. */
interface Rights {
  readonly operations: readonly string[];
  readonly columns: readonly string[];
}

const all = ['insert', 'delete', 'update'];
const portBinding = ['additional_chassis', 'additional_encap', 'chassis', 'encap', 'options', 'up', 'virtual_parent'];
const inBoth: Readonly<Record<string, Rights>> = {
  Port_Binding: { operations: ['update'], columns: portBinding },
  MAC_Binding: { operations: all, columns: ['datapath', 'ip', 'logical_port', 'mac', 'timestamp'] },
  FDB: { operations: all, columns: ['dp_key', 'mac', 'port_key'] },
  Controller_Event: { operations: all, columns: ['chassis', 'event_info', 'event_type', 'seq_num'] },
};
const expected: Readonly<Record<string, Readonly<Record<string, Rights>>>> = {
  '23.03': {
    ...inBoth,
    IGMP_Group: { operations: all, columns: ['address', 'chassis', 'datapath', 'ports'] },
    Service_Monitor: { operations: ['update'], columns: ['status'] },
    BFD: { operations: ['update'], columns: ['status'] },
  },
  '26.03': {
    ...inBoth,
    FDB: { operations: all, columns: ['dp_key', 'mac', 'port_key', 'timestamp'] },
    Learned_Route: {
      operations: all,
      columns: ['datapath', 'external_ids', 'ip_prefix', 'logical_port', 'nexthop'],
    },
  },
};

for (const release of releasesHere())
  t.test(`rights of a member, ${release.name}`, (t) =>
    rights(t, release, release.name === ownRelease().name ? '23.03' : '26.03'),
  );

async function rights(t: Test, release: Release, named: string): Promise<void> {
  const folder = t.testdir();
  const keys = await makeKeys(folder);
  const central = await startCentral(t, true, release, [
    `--remote=db:${database},SB_Global,connections`,
    `--private-key=${keys.server.privateKey}`,
    `--certificate=${keys.server.certificate}`,
    `--ca-cert=${keys.server.ca}`,
  ]);
  central.run('ovn-nbctl', 'lr-add', 'r', '--', 'lrp-add', 'r', 'rp', '0a:58:0a:2a:00:01', '10.42.0.1/24');
  central.run('ovn-nbctl', '--wait=sb', 'sync');
  const admin = await connect(`unix:${central.folder}/sb.sock`, limitMs);
  t.teardown(() => admin.close());
  const select = async (table: string): Promise<readonly Row[]> => {
    const [{ rows }] = (await operate(admin, { op: 'select', table, where: [] })) as [{ rows: readonly Row[] }];
    return rows;
  };
  // ovn-northd removes rows that no switch, router or service of the northbound database needs.
  await run('ovs-appctl', ['-t', join(central.folder, 'northd.ctl'), 'pause'], limitMs);
  const victims = await makeVictims(admin, await select('Port_Binding'));
  const granted = (await select('RBAC_Permission')).map(({ table }) => String(table));
  t.strictSame(
    granted.filter((table) => victims[table] === undefined),
    [],
    'every table of the role is tried',
  );

  const client = await connect(await listen(central, select), limitMs, { credentials: keys.member });
  t.teardown(() => client.close());
  const schema = (await admin.call('get_schema', [database])) as {
    readonly tables: Readonly<Record<string, { readonly columns: JsonObject }>>;
  };
  const found: Record<string, Rights> = {};
  for (const [table, { columns }] of Object.entries(schema.tables)) {
    const [row] = (await select(table)).filter(
      (one) => victims[table]?.uuid === undefined || isRow(one, victims[table].uuid),
    );
    const where = row === undefined ? [] : [['_uuid', '==', row._uuid]];
    const may = (operation: Row): Promise<boolean> => isAllowed(client, { table, ...operation });
    const writable: string[] = [];
    for (const column of row === undefined ? [] : Object.keys(columns))
      if (await may({ op: 'update', where, row: { [column]: row?.[column] } })) writable.push(column);
    if (row === undefined && (await may({ op: 'update', where, row: {} }))) writable.push('a column');
    const operations = [
      ...((await may({ op: 'insert', row: victims[table]?.row ?? {} })) ? ['insert'] : []),
      ...((await may({ op: 'delete', where })) ? ['delete'] : []),
      ...(writable.length > 0 ? ['update'] : []),
    ];
    if (operations.length > 0) found[table] = { operations, columns: writable.toSorted() };
  }
  t.strictSame(found, expected[named], 'nothing else of other members can be written');
  t.strictSame(namedBy(named), Object.keys(found).toSorted(), 'docs/use/overlay-trust.md names these tables');
}

/** Makes the certificates of the server and of a member, as the product issues them. */
async function makeKeys(folder: string): Promise<Readonly<Record<'server' | 'member', Credentials>>> {
  await initAuthority(folder);
  const make = async (name: string, purpose: 'server and client' | 'client'): Promise<Credentials> => {
    const pair = await issueFor(folder, { name, systemId: name }, purpose, 'issue');
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, pair.key + pair.certificate);
    return { privateKey: file, certificate: file, ca: join(folder, 'ca.crt') };
  };
  return { server: await make('n1', 'server and client'), member: await make(member, 'client') };
}

/** Makes the database listen for members, and returns the remote. */
async function listen(central: Central, select: (table: string) => Promise<readonly Row[]>): Promise<string> {
  central.run('ovn-sbctl', 'set-connection', 'role=ovn-controller', 'pssl:0:127.0.0.1');
  for (;;) {
    const [row] = await select('Connection');
    const port = /"bound_port","(\d+)"/.exec(JSON.stringify(row?.status ?? ''))?.[1];
    if (port !== undefined) return `ssl:127.0.0.1:${port}`;
    central.run('ovn-sbctl', '--timeout=60', 'wait-until', 'Connection', '.', 'status:bound_port!=""');
  }
}

interface Victim {
  readonly uuid: unknown;
  readonly row: Row;
}

/** Inserts a row of another member into each table that OVN's role names, with the columns that a row there needs. */
async function makeVictims(admin: OvsdbClient, ports: readonly Row[]): Promise<Readonly<Record<string, Victim>>> {
  const [port] = ports;
  if (port === undefined) throw new Error('ovn-northd has made no port');
  const victims: Record<string, Victim> = {
    Port_Binding: { uuid: port._uuid, row: { logical_port: 'x', tunnel_key: 9, datapath: port.datapath } },
  };
  const { tables } = (await admin.call('get_schema', [database])) as {
    readonly tables: Readonly<Record<string, { readonly columns: JsonObject }>>;
  };
  const chassisOf = (table: string): Row =>
    tables[table]?.columns.chassis_name === undefined ? {} : { chassis_name: other };
  const encap = { chassis_name: other, type: 'geneve', ip: '192.0.2.12' };
  const [first] = (await operate(
    admin,
    { op: 'insert', table: 'Encap', row: encap, 'uuid-name': 'encap' },
    { op: 'insert', table: 'Chassis', row: { name: other, encaps: ['named-uuid', 'encap'] } },
  )) as [{ uuid: unknown }, { uuid: unknown }];
  const [chassis] = (await operate(admin, { op: 'select', table: 'Chassis', where: [] })) as [{ rows: Row[] }];
  victims.Encap = { uuid: first.uuid, row: encap };
  victims.Chassis = { uuid: chassis.rows[0]?._uuid, row: { name: other, encaps: first.uuid } };
  const { datapath } = port;
  const rows: Readonly<Record<string, Row>> = {
    Chassis_Private: { name: other },
    MAC_Binding: { logical_port: 'rp', ip: '10.42.0.9', mac: '52:54:00:00:00:99', datapath },
    FDB: { mac: '52:54:00:00:00:99', dp_key: 1, port_key: 1 },
    IGMP_Group: { address: '224.1.1.1', datapath, chassis: victims.Chassis.uuid },
    Controller_Event: { event_type: 'empty_lb_backends', seq_num: 1 },
    Service_Monitor: { ip: '10.42.0.9', port: 80, logical_port: 'p', protocol: 'tcp' },
    BFD: {
      src_port: 50_000,
      disc: 1,
      logical_port: 'rp',
      dst_ip: '10.42.0.9',
      min_tx: 1000,
      min_rx: 1000,
      detect_mult: 5,
      status: 'down',
    },
    Learned_Route: { datapath, logical_port: port._uuid, ip_prefix: '203.0.113.0/24', nexthop: '10.42.0.9' },
  };
  for (const [table, bare] of Object.entries(rows)) {
    if (tables[table] === undefined) continue;
    const row = { ...bare, ...chassisOf(table) };
    const [{ uuid }] = (await operate(admin, { op: 'insert', table, row })) as [{ uuid: unknown }];
    victims[table] = { uuid, row };
  }
  return victims;
}

const isRow = (row: Row, uuid: unknown): boolean => JSON.stringify(row._uuid) === JSON.stringify(uuid);

/** Returns the results of operations in one transaction; throws if one is refused. */
async function operate(client: OvsdbClient, ...operations: readonly Row[]): Promise<unknown> {
  const results = await client.call('transact', [database, ...(operations as JsonObject[])]);
  if (JSON.stringify(results).includes('"error":"')) throw new Error(JSON.stringify(results));
  return results;
}

/**
 * Returns true if the server allows an operation, which is then not committed; throws if the server refuses it for
 * another reason than missing rights.
 */
async function isAllowed(client: OvsdbClient, operation: Row): Promise<boolean> {
  const answer = await client.call('transact', [database, operation as JsonObject, { op: 'abort' }]);
  const [{ error }] = answer as [{ readonly error?: string }];
  if (error === undefined) return true;
  // A constraint violation means that no client at all may update the column.
  if (error === 'permission error' || error === 'constraint violation') return false;
  throw new Error(`${JSON.stringify(operation)}: ${JSON.stringify(answer)}`);
}

/** Returns the tables that the documentation names for a release, sorted. */
function namedBy(release: string): readonly string[] {
  const page = readFileSync('docs/use/overlay-trust.md', 'utf8');
  return page
    .split('\n')
    .flatMap((line) => {
      const [, tables = '', releases = ''] = /^ *\| ([A-Z].*?) \| (.*?) \| /.exec(line) ?? [];
      return releases.includes(release) || releases === 'both'
        ? (tables.match(/\b[A-Z][A-Za-z]*(_[A-Z][a-z]+)?\b/g) ?? [])
        : [];
    })
    .toSorted();
}
