import { commandMs, run } from '../drivers/host/process/exec.ts';
import { isAgentError } from '../errors.ts';
import type { NatChain, PacketFilterFacts } from '../model/examination.ts';

/** Reads ovn-kubernetes' chains in the NAT table of each IP family, and the names of all tables of nftables. */
export async function readPacketFilter(): Promise<PacketFilterFacts> {
  const [four, six, tables] = await Promise.all([
    outputOf('iptables-save', ['-t', 'nat']),
    outputOf('ip6tables-save', ['-t', 'nat']),
    outputOf('nft', ['list', 'tables']),
  ]);
  return {
    natChains: { ipv4: four === null ? null : parseChains(four), ipv6: six === null ? null : parseChains(six) },
    nftTables: tables?.split('\n').flatMap((line) => /^table (.+)$/.exec(line)?.[1] ?? []) ?? null,
  };
}

/**
 * Returns the chains of ovn-kubernetes in the output of iptables-save, with the number of their rules and the chains
 * that lead to them.
 */
function parseChains(text: string): readonly NatChain[] {
  const lines = text.split('\n');
  const rules = lines.flatMap((line) => {
    const [, chain] = /^-A (\S+) /.exec(line) ?? [];
    return chain === undefined ? [] : [{ chain, target: / -j (\S+)/.exec(line)?.[1] }];
  });
  const names = lines.flatMap((line) => /^:(OVN-KUBE-\S+) /.exec(line)?.[1] ?? []);
  return names.map((name) => ({
    name,
    rules: rules.filter((rule) => rule.chain === name).length,
    from: [...new Set(rules.filter((rule) => rule.target === name).map((rule) => rule.chain))],
  }));
}

/** Returns the standard output of a program; null if the program is missing, not permitted, or fails. */
async function outputOf(program: string, words: readonly string[]): Promise<string | null> {
  try {
    const { exitCode, stdout } = await run(program, words, commandMs);
    return exitCode === 0 ? stdout : null;
  } catch (error) {
    if (isAgentError(error) && error.kind === 'command-missing') return null;
    throw error;
  }
}
