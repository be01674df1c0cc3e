import { commandMs, run } from '../drivers/host/process/exec.ts';
import { isAgentError } from '../errors.ts';
import type { InterfaceRules } from '../model/surroundings.ts';

/** Expressions of nft(8) with the name of a packet's input or output interface. */
const interfaceKeys = ['iifname', 'oifname', 'iif', 'oif'];

/**
 * Returns the rules of nftables, including those of iptables in nftables, that name interfaces; an empty list if nft(8)
 * is missing, not permitted, or fails.
 */
export async function readInterfaceRules(): Promise<readonly InterfaceRules[]> {
  try {
    const { exitCode, stdout } = await run('nft', ['-j', 'list', 'ruleset'], commandMs, { stdin: 'ignore' });
    return exitCode === 0 ? parseInterfaceRules(stdout) : [];
  } catch (error) {
    if (isAgentError(error) && error.kind === 'command-missing') return [];
    throw error;
  }
}

/** Object of libnftables-json(5), reduced to the fields that the agent uses. */
interface Listed {
  readonly rule?: { readonly family: string; readonly table: string; readonly chain: string; readonly expr: unknown };
  readonly set?: { readonly family: string; readonly table: string; readonly name: string; readonly elem?: unknown };
  readonly map?: Listed['set'];
}

/**
 * Returns the rules that name interfaces, grouped by table, chain and interfaces, in the order of the rule set. Chains
 * of family netdev are left out: they are on the NIC itself, and Open vSwitch receives packets after them (Linux
 * net/core/dev.c, __netif_receive_skb_core). The tables of firewalld are left out as well, because firewalld derives
 * their rules from its zones.
 */
export function parseInterfaceRules(text: string): readonly InterfaceRules[] {
  const { nftables } = JSON.parse(text === '' ? '{"nftables":[]}' : text) as { readonly nftables: readonly Listed[] };
  const sets = new Map<string, unknown>(
    nftables.flatMap((listed) => {
      const set = listed.set ?? listed.map;
      return set === undefined ? [] : [[`${set.family} ${set.table} @${set.name}`, set.elem] as const];
    }),
  );
  const found = new Map<string, { table: string; chain: string; names: readonly string[]; rules: number }>();
  for (const { rule } of nftables) {
    if (rule === undefined || rule.family === 'netdev' || rule.table === 'firewalld') continue;
    const table = `${rule.family} ${rule.table}`;
    const words = expressionsIn(rule.expr).flatMap(stringsIn);
    const named = words.flatMap((word) => (word.startsWith('@') ? stringsIn(sets.get(`${table} ${word}`)) : [word]));
    const names = [...new Set(named.filter((word) => !interfaceKeys.includes(word) && isName(word)))].toSorted();
    if (names.length === 0) continue;
    const key = `${table} ${rule.chain} ${names.join(' ')}`;
    const known = found.get(key) ?? { table, chain: rule.chain, names, rules: 0 };
    found.set(key, { ...known, rules: known.rules + 1 });
  }
  return [...found.values()];
}

/**
 * Returns the values with which a rule compares an interface, in matches and in verdict maps; the verdicts are left
 * out.
 */
function expressionsIn(expr: unknown): readonly unknown[] {
  if (!Array.isArray(expr)) return [];
  return expr.flatMap((entry: Record<string, Record<string, unknown>>) => {
    const { match, vmap } = entry;
    const key = match?.left ?? vmap?.key;
    if (key === undefined || !hasInterfaceKey(key)) return [];
    if (match !== undefined) return [match.right];
    const pairs = (vmap?.data as { readonly set?: readonly (readonly [unknown, unknown])[] } | undefined)?.set ?? [];
    return typeof vmap?.data === 'string' ? [vmap.data] : pairs.map(([value]) => value);
  });
}

function hasInterfaceKey(key: unknown): boolean {
  if (Array.isArray(key)) return key.some(hasInterfaceKey);
  if (typeof key !== 'object' || key === null) return false;
  const { meta, concat } = key as { readonly meta?: { readonly key?: string }; readonly concat?: unknown };
  return (meta?.key !== undefined && interfaceKeys.includes(meta.key)) || hasInterfaceKey(concat);
}

/** Returns every string in a JSON value. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/**
 * Returns true for an interface name, or for a prefix of names with `*`. `lo` does not count, because no NIC or bridge
 * has this name.
 */
function isName(word: string): boolean {
  return word !== 'lo' && /^[^\s/:]{1,15}\*?$/.test(word);
}
