// Numbers of messages that a command sends to daemons, from the system bus and the log of ovsdb-server.
import type { RunOptions } from './command.ts';
import type { TestNode } from './node.ts';

export interface MessageCounts {
  dbusSent: number;
  dbusReceived: number;
  /**
   * Transactions of clients that connected during the run: the command, and NetworkManager, which connects again for
   * its changes.
   */
  ovsdbTransactions: number;
}

interface BusMessage {
  type: string;
  sender?: string;
  destination?: string;
  member?: string;
}

const busLog = '/run/testnode/bus.json';
const databaseLog = '/var/log/openvswitch/ovsdb-server.log';

/** Runs a command once with monitors, which slow the command down, so that its duration is meaningless. */
export async function countMessages(node: TestNode, shell: string, options: RunOptions): Promise<MessageCounts> {
  await node.text('ovs-appctl -t ovsdb-server vlog/set jsonrpc:file:dbg');
  const monitor = node.start(`busctl monitor --json=short > ${busLog}`, { timeoutMs: 600_000 });
  await node.text(`until test -s ${busLog}; do busctl call org.freedesktop.DBus / org.freedesktop.DBus GetId; done`);
  const linesBefore = Number(await node.text(`wc -l < ${databaseLog}`));
  const oldClients = clientsIn((await node.read(databaseLog)) ?? '');
  await node.run(shell, options);
  await monitor.signal('SIGTERM');
  await monitor.ended;
  const log = ((await node.read(databaseLog)) ?? '').split('\n').slice(linesBefore).join('\n');
  const transactions = clientsOf(log, 'transact').filter((client) => !oldClients.has(client));
  const bus = ((await node.read(busLog)) ?? '').split('\n').filter(Boolean).map(toMessage);
  return { ...busCounts(bus), ovsdbTransactions: transactions.length };
}

/**
 * Returns the numbers of messages that the command has sent and received. Clients that connect during the run and own
 * no name belong to the command; daemons own a name, or were connected before.
 */
function busCounts(messages: BusMessage[]): { dbusSent: number; dbusReceived: number } {
  const calls = (member: string): Set<string | undefined> =>
    new Set(messages.filter((m) => m.type === 'method_call' && m.member === member).map((m) => m.sender));
  const daemons = calls('RequestName');
  const clients = calls('Hello');
  const isOurs = (name: string | undefined): boolean => clients.has(name) && !daemons.has(name);
  return {
    dbusSent: messages.filter((m) => isOurs(m.sender)).length,
    dbusReceived: messages.filter((m) => isOurs(m.destination)).length,
  };
}

function toMessage(line: string): BusMessage {
  return JSON.parse(line) as BusMessage;
}

/** Returns the client of each request, from lines such as `unix#12: received request, method="transact"`. */
function clientsOf(log: string, method: string): string[] {
  return [...log.matchAll(new RegExp(`\\|(unix#\\d+): received request, method="${method}"`, 'g'))].map(
    (m) => m[1] ?? '',
  );
}

function clientsIn(log: string): Set<string> {
  return new Set([...log.matchAll(/\|(unix#\d+): /g)].map((match) => match[1] ?? ''));
}
