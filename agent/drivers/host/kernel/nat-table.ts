import { AgentError } from '../../../errors.ts';
import { canonicalAddress } from '../../../net/address.ts';
import { type Finished, run } from '../process/exec.ts';

/** Time limit of a command of nft(8), which answers in milliseconds; tens of thousands of elements take seconds. */
const commandMs = 30_000;

/** Fields of an object in `nft -j list table` that the agent uses (libnftables-json(5)). */
interface Listed {
  readonly map?: { readonly name: string; readonly elem?: readonly (readonly [Key, Key | number])[] };
  readonly set?: { readonly name: string; readonly elem?: readonly Key[] };
  readonly rule?: { readonly chain: string; readonly comment?: string };
}

interface Key {
  readonly concat: readonly (string | number | Prefix)[];
}

/** Range of addresses, as its first address and its prefix length. */
interface Prefix {
  readonly prefix: { readonly addr: string; readonly len: number };
}

/**
 * Returns the contents of an nftables table of family inet, sorted: one line for each element of its maps and sets, and
 * one for each rule, with the chain and the comment of the rule. Null if the table does not exist.
 */
export async function readNatTable(name: string): Promise<readonly string[] | null> {
  const found = await run('nft', ['-j', 'list', 'table', 'inet', name], commandMs);
  if (found.exitCode !== 0) {
    if (/No such file or directory/.test(found.stderr)) return null;
    throw refused(`read table inet ${name}`, found);
  }
  const { nftables } = JSON.parse(found.stdout) as { readonly nftables: readonly Listed[] };
  const words = (part: Key | number): string =>
    typeof part === 'number' ? `${part}` : part.concat.map(wordOf).join(' . ');
  return nftables
    .flatMap(({ map, set, rule }) => [
      ...(map?.elem ?? []).map(([key, value]) => `${map?.name}: ${words(key)} : ${words(value)}`),
      ...(set?.elem ?? []).map((key) => `${set?.name}: ${words(key)}`),
      ...(rule === undefined ? [] : [`${rule.chain}: ${rule.comment ?? ''}`]),
    ])
    .toSorted();
}

/**
 * Returns one part of a key or value of a map or set as text: a number, or an address or range with the address in
 * canonical form. nft(8) writes `::ffff:0:0` as `::ffff:0.0.0.0`.
 */
function wordOf(part: string | number | Prefix): string {
  return typeof part === 'object'
    ? `${canonicalAddress(part.prefix.addr)}/${part.prefix.len}`
    : canonicalAddress(`${part}`);
}

/** Runs a script of nft(8), which the kernel applies as one transaction, or not at all. */
export async function runNatScript(script: string): Promise<void> {
  const done = await run('nft', ['-f', '-'], commandMs, { input: script });
  if (done.exitCode !== 0) throw refused('change its tables', done);
}

function refused(what: string, { stderr, failure }: Finished): AgentError {
  return new AgentError('step-failed', `nftables refused to ${what}: ${stderr.trim() || failure}`, {
    hint: 'look at `nft list ruleset` for what is there, and whether the kernel has nf_tables',
  });
}
