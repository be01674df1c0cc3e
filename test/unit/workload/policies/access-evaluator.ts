// Effect of ACLs on a packet, as ovn-sb(5) and ovn-nb(5) describe matches and ACLs: the first matching ACL of the
// highest priority decides; without a matching ACL the packet passes.

import type { DatabaseRow, DatabaseRows } from '../../../../agent/model/rows.ts';
import type { Protocol } from '../../../../agent/model/workload.ts';
import { parseRange } from '../../../../agent/net/address-range.ts';
import { indexRows, listOf, type RowIndex, textOf } from '../../../../agent/overlay/rows/row-index.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';

/** First packet of a connection between two ends; an end without a port is outside of the cluster. */
export interface Packet {
  readonly source: { readonly port: string | null; readonly address: string };
  readonly destination: { readonly port: string | null; readonly address: string };
  readonly protocol: Protocol;
  readonly port: number;
}

export interface AccessLists {
  passes(packet: Packet): boolean;
}

export function accessListsIn(database: ModelDatabase): AccessLists {
  return accessListsOf(database.rows());
}

/** Returns the effect of the ACLs of all port groups in these rows. */
export function accessListsOf(rows: DatabaseRows): AccessLists {
  const existing = indexRows(rows);
  const lists = existing.all('Port_Group').flatMap((group) => existing.referred(group, 'acls', 'ACL'));
  const rules = lists.map((row) => ({ row, match: parse(textOf(row, 'match'), existing) }));
  const verdict = (direction: string, packet: Packet): boolean => {
    const matching = rules.filter(({ row, match }) => textOf(row, 'direction') === direction && match(packet));
    const highest = Math.max(...matching.map(({ row }) => Number(row.priority)));
    const deciding = matching
      .filter(({ row }) => Number(row.priority) === highest)
      .map(({ row }) => textOf(row, 'action'));
    const drops = deciding.filter((action) => action === 'drop').length;
    if (drops > 0 && drops < deciding.length) throw new Error('two actions of one priority');
    return drops === 0;
  };
  return { passes: (packet) => verdict('from-lport', packet) && verdict('to-lport', packet) };
}

type Match = (packet: Packet) => boolean;

function parse(text: string, existing: RowIndex): Match {
  const tokens = text.match(/[&|]{2}|[=!<>]=|[(){},]|[$@]?[\w.:/]+/g) ?? [];
  let at = 0;
  const take = (expected?: string): string => {
    const token = tokens[at];
    if (token === undefined || (expected !== undefined && token !== expected)) throw new Error(`${text}: ${token}`);
    at += 1;
    return token;
  };
  const chain = (word: string, next: () => Match, join: (matches: readonly Match[]) => Match): Match => {
    const matches = [next()];
    while (tokens[at] === word) {
      take();
      matches.push(next());
    }
    return join(matches);
  };
  // As in OVN, `a && b || c` is refused: one level of an expression has one operator.
  const expression = (): Match => {
    const first = term();
    const operator = tokens[at];
    if (operator !== '&&' && operator !== '||') return first;
    take();
    const rest = chain(
      operator,
      term,
      (matches) => (packet) =>
        operator === '&&' ? matches.every((match) => match(packet)) : matches.some((match) => match(packet)),
    );
    return (packet) => (operator === '&&' ? first(packet) && rest(packet) : first(packet) || rest(packet));
  };
  const term = (): Match => {
    if (tokens[at] !== '(') return comparison();
    take('(');
    const inner = expression();
    take(')');
    return inner;
  };
  const comparison = (): Match => {
    const field = take();
    const relation = tokens[at] ?? '';
    if (!/^[=!<>]=$/.test(relation)) return predicate(field);
    take();
    const constants: string[] = [];
    if (tokens[at] === '{') {
      do {
        take();
        constants.push(take());
      } while (tokens[at] === ',');
      take('}');
    } else constants.push(take());
    return compared(field, relation, constants, existing);
  };
  const match = expression();
  if (at < tokens.length) throw new Error(`${text}: ${tokens[at]} is too much`);
  return match;
}

function isSix(address: string): boolean {
  return address.includes(':');
}

function predicate(word: string): Match {
  switch (word) {
    case 'arp':
    case 'nd':
      return () => false;
    case 'ip':
      return () => true;
    case 'icmp4':
    case 'icmp6':
      return () => false;
    case 'tcp':
    case 'udp':
    case 'sctp':
      return ({ protocol }) => protocol.toLowerCase() === word;
    default:
      throw new Error(`no predicate ${word}`);
  }
}

function compared(field: string, relation: string, constants: readonly string[], existing: RowIndex): Match {
  const [kind = '', part] = field.split('.');
  if (kind === 'inport' || kind === 'outport') {
    const members = portsOf(existing.named('Port_Group', (constants[0] ?? '').slice(1)), existing);
    return ({ source, destination }) => members.has((kind === 'inport' ? source : destination).port ?? '');
  }
  if (kind === 'ip4' || kind === 'ip6') {
    const ranges = constants.flatMap((constant) => addressesOf(constant, existing));
    return ({ source, destination }) => {
      const { address } = part === 'src' ? source : destination;
      if (isSix(address) !== (kind === 'ip6')) return false;
      return ranges.some((range) => isIn(address, range)) === (relation === '==');
    };
  }
  const numbers = constants.map(Number);
  return ({ protocol, port }) => {
    if (protocol.toLowerCase() !== kind) return false;
    if (relation === '>=') return port >= (numbers[0] ?? 0);
    if (relation === '<=') return port <= (numbers[0] ?? 0);
    return numbers.includes(port);
  };
}

function portsOf(group: DatabaseRow | null, existing: RowIndex): ReadonlySet<string> {
  if (group === null) throw new Error('a match speaks of a group that is not there');
  return new Set(existing.referred(group, 'ports', 'Logical_Switch_Port').map((row) => textOf(row, 'name')));
}

function addressesOf(constant: string, existing: RowIndex): readonly string[] {
  if (!constant.startsWith('$')) return [constant];
  const set = existing.named('Address_Set', constant.slice(1));
  if (set === null) throw new Error(`a match speaks of ${constant}, which is not there`);
  return listOf(set, 'addresses').map(String);
}

function isIn(address: string, range: string): boolean {
  const length = isSix(address) ? 128 : 32;
  const one = parseRange(`${address}/${length}`);
  const all = parseRange(range.includes('/') ? range : `${range}/${length}`);
  return one !== null && all !== null && one.family === all.family && one.first >= all.first && one.last <= all.last;
}
