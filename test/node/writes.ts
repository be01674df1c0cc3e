// Writes of a command: every D-Bus call and OVSDB operation that is not a query, and every change of the database's
// file.
import type { RunResult } from './command.ts';
import type { TestNode } from './node.ts';

export interface WatchedRun extends RunResult {
  /** Calls on the bus that are not queries, as `interface.Member`. */
  busWrites: string[];
  /** Number of queries on the bus; zero would mean that the monitor saw nothing. */
  busReads: number;
  /**
   * Signals of NetworkManager during the command, except PropertiesChanged, which messages of routers and servers also
   * cause.
   */
  busSignals: string[];
  /** Operations of the command's OVSDB transactions, except `select`, `wait` and `comment` (RFC 7047 section 5.2). */
  databaseWrites: string[];
  databaseReads: number;
  /** True if the database's file is byte for byte the same as before. */
  databaseSame: boolean;
}

interface BusMessage {
  type: string;
  sender?: string;
  path?: string;
  interface?: string;
  member?: string;
}

const busLog = '/run/testnode/writes.json';
const databaseLog = '/var/log/openvswitch/ovsdb-server.log';
const databaseSum = 'sha256sum /var/lib/openvswitch/conf.db';
const askingMembers = new Set(
  'Hello GetId GetNameOwner NameHasOwner AddMatch RemoveMatch GetManagedObjects GetSettings Get GetAll ListConnections GetConnectionByUuid GetDeviceByIpIface GetAppliedConnection'.split(
    ' ',
  ),
);
const askingOperations = new Set(['select', 'wait', 'comment']);
const nmPath = /^\/org\/freedesktop\/NetworkManager/;

/** Runs a command with monitors on the system bus and on ovsdb-server, and returns what the command wrote and read. */
export async function watchWrites(node: TestNode, shell: string): Promise<WatchedRun> {
  await node.text('ovs-appctl -t ovsdb-server vlog/set jsonrpc:file:dbg');
  const monitor = node.start(`busctl monitor --json=short > ${busLog}`);
  await node.text(`until test -s ${busLog}; do busctl call org.freedesktop.DBus / org.freedesktop.DBus GetId; done`);
  const linesBefore = Number(await node.text(`wc -l < ${databaseLog}`));
  const oldClients = new Set(clientsIn((await node.read(databaseLog)) ?? ''));
  const sumBefore = await node.text(databaseSum);
  const run = await node.run(shell);
  const sumAfter = await node.text(databaseSum);
  await monitor.signal('SIGTERM');
  await monitor.ended;
  await node.text('ovs-appctl -t ovsdb-server vlog/set jsonrpc:file:info');

  const messages = ((await node.read(busLog)) ?? '').split('\n').filter(Boolean).map(toMessage);
  const newcomers = new Set(messages.filter((m) => m.member === 'Hello').map((m) => m.sender));
  const calls = messages.filter((m) => m.type === 'method_call' && newcomers.has(m.sender));
  const asks = (message: BusMessage): boolean => askingMembers.has(message.member ?? '');
  const signals = messages.filter(
    (m) => m.type === 'signal' && nmPath.test(m.path ?? '') && m.member !== 'PropertiesChanged',
  );
  const log = ((await node.read(databaseLog)) ?? '').split('\n').slice(linesBefore);
  const operations = log.flatMap((line) => operationsIn(line, oldClients));
  return {
    ...run,
    busWrites: calls.filter((m) => !asks(m)).map(nameOf),
    busReads: calls.filter(asks).length,
    busSignals: signals.map(nameOf),
    databaseWrites: operations.filter((operation) => !askingOperations.has(operation)),
    databaseReads: operations.filter((operation) => askingOperations.has(operation)).length,
    databaseSame: sumBefore === sumAfter,
  };
}

function toMessage(line: string): BusMessage {
  return JSON.parse(line) as BusMessage;
}

function nameOf({ interface: name, member }: BusMessage): string {
  return `${name}.${member}`;
}

function clientsIn(log: string): string[] {
  return [...log.matchAll(/\|(unix#\d+): /g)].map((match) => match[1] ?? '');
}

/**
 * Returns the operations in a log line of a client that connected during the run, such as
 * `…|unix#12: received request, method="transact", params=["Open_vSwitch",{"op":"select",…}], id=3`.
 */
function operationsIn(line: string, oldClients: ReadonlySet<string>): string[] {
  const [, client = '', request = ''] = /\|(unix#\d+): received request, method="transact", (.*)$/.exec(line) ?? [];
  // vswitchd, which writes its statistics every 5 s, is recognized by the lock in its assert operation.
  if (request === '' || oldClients.has(client) || request.includes('"lock":"ovs_vswitchd"')) return [];
  return [...request.matchAll(/"op":"(\w+)"/g)].map((match) => match[1] ?? '');
}
