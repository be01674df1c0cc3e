import type { FirewallPlan, TrustedSource } from '../model/firewall.ts';
import { joinLines, type Style } from './style.ts';

/**
 * Returns a line for each source of pod traffic, which says whether firewalld trusts the source now and permanently.
 */
export function firewallText(plan: FirewallPlan, style: Style): string {
  const width = Math.max(...plan.wanted.map((entry) => entry.source.length));
  const lines = plan.wanted.map(({ source, why }) => {
    const missing = [
      ...(plan.addRunning.includes(source) ? ['not now'] : []),
      ...(plan.addPermanent.includes(source) ? ['not after a restart of firewalld'] : []),
    ];
    const state = missing.length === 0 ? style('green', 'trusted') : style('yellow', missing.join(', '));
    return `  ${source.padEnd(width)}  ${state} (${why})`;
  });
  const complete = plan.addRunning.length + plan.addPermanent.length === 0;
  const end = complete ? [] : ['Repair it with: microshift-net firewall apply'];
  return joinLines([`Sources of firewalld's zone ${plan.zone}:`, ...lines, ...end]);
}

/**
 * Returns text for a node on which firewalld is not running, with the commands of iptables(8) and nft(8) that accept
 * packets from the sources.
 */
export function commandsText(sources: readonly TrustedSource[], action: 'check' | 'apply'): string {
  const iptables = sources.map(
    ({ source, family }) => `  ${family === 6 ? 'ip6tables' : 'iptables'} -I INPUT -s ${source} -j ACCEPT`,
  );
  const nft = sources.map(
    ({ source, family }) => `  nft insert rule inet filter input ${family === 6 ? 'ip6' : 'ip'} saddr ${source} accept`,
  );
  return joinLines([
    action === 'check'
      ? 'firewalld is not running here, so it blocks nothing; other packet filters were not checked.'
      : 'firewalld is not running here, so nothing was done.',
    'If iptables filters what comes in:',
    ...iptables,
    'If nftables does (table and chain as in `nft list ruleset`; here those of its example configuration):',
    ...nft,
    'Both last until the next boot; save them the way your distribution does.',
  ]);
}
