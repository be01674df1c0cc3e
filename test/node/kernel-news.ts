// Addresses and default routes of a node as `ip monitor` reported them, as one state after each change.

/** Addresses and default routes at one moment. */
export interface Moment {
  /** Message that led to this state, as ip(8) printed it. */
  readonly news: string;
  readonly addresses: readonly HeldAddress[];
  readonly defaults: readonly DefaultRoute[];
}

export interface HeldAddress {
  readonly device: string;
  readonly family: 4 | 6;
  /** Address as `address/prefix`. */
  readonly address: string;
  readonly scope: string;
  readonly isTentative: boolean;
}

export interface DefaultRoute {
  readonly device: string;
  readonly family: 4 | 6;
  readonly metric: number;
  readonly source: string | null;
  /** Route as ip(8) prints it, without its lifetime. */
  readonly text: string;
}

/** Shell text that prints the present state in the form of `ip monitor`, before the first message of the monitor. */
export const presentNews = `ip -o address show | sed 's/^/[ADDR]/'
  for family in 4 6; do ip -o -$family route show default | sed 's/^/[ROUTE]/'; done`;

/**
 * Returns the states after each message (`ip -o monitor label address route`, after `presentNews`). The kernel does not
 * report IPv4 routes that are removed together with an address or with the last address of a device (Linux,
 * net/ipv4/fib_trie.c, fib_table_flush), so this function removes them.
 */
export function moments(news: string): readonly Moment[] {
  const lines = news.split('\n').filter((line) => /^\[(ADDR|ROUTE)\]/.test(line));
  let addresses: readonly HeldAddress[] = [];
  let defaults: readonly DefaultRoute[] = [];
  return lines.map((line) => {
    const isGone = /^\[\w+\]Deleted /.test(line);
    const address = readAddress(line);
    const route = readDefault(line);
    if (address !== null) {
      const isSame = (one: HeldAddress): boolean => one.device === address.device && one.address === address.address;
      // A changed address keeps its position; a new IPv4 address is listed last, and a new IPv6 address first.
      if (isGone) addresses = addresses.filter((one) => !isSame(one));
      else if (addresses.some(isSame)) addresses = addresses.map((one) => (isSame(one) ? address : one));
      else addresses = address.family === 4 ? [...addresses, address] : [address, ...addresses];
      if (isGone && address.family === 4) defaults = defaults.filter((one) => survives(one, address, addresses));
    }
    if (route !== null) {
      const others = defaults.filter((one) => one.text !== route.text);
      defaults = isGone ? others : [...others, route];
    }
    return { news: line, addresses, defaults };
  });
}

function survives(route: DefaultRoute, gone: HeldAddress, left: readonly HeldAddress[]): boolean {
  if (route.family !== 4 || route.device !== gone.device) return true;
  const hasAny = left.some(({ device, family }) => family === 4 && device === gone.device);
  return hasAny && route.source !== gone.address.split('/')[0];
}

function readAddress(line: string): HeldAddress | null {
  const found = /^\[ADDR\](?:Deleted )?\d+: (\S+)\s+(inet6?) (\S+).*? scope (\S+)(.*)/.exec(line);
  if (found === null) return null;
  const [, device = '', kind, address = '', scope = '', flags = ''] = found;
  return { device, family: kind === 'inet' ? 4 : 6, address, scope, isTentative: / tentative/.test(flags) };
}

function readDefault(line: string): DefaultRoute | null {
  const found = /^\[ROUTE\](?:Deleted )?(default .*)/.exec(line);
  if (found?.[1] === undefined || / table /.test(found[1])) return null;
  const text = found[1].replace(/ expires \S+| hoplimit \S+/g, '').trim();
  const word = (name: string): string | null => new RegExp(` ${name} (\\S+)`).exec(text)?.[1] ?? null;
  const family = / pref | via \S*:/.test(text) ? 6 : 4;
  return { device: word('dev') ?? '', family, metric: Number(word('metric') ?? 0), source: word('src'), text };
}
