import { AgentError } from '../../errors.ts';
import { run } from './exec.ts';
import { readKernelAdvertisedRoutes, readRoutes } from './routes.ts';

/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;

export interface Ipv6Hold {
  readonly interface: string;
  /** `address/prefix` */
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  readonly metric: number;
}

/**
 * Adds IPv6 addresses and default routes to an interface in the kernel, usable at once: the node holds these addresses on another
 * interface with the same MAC, so duplicate address detection would only find itself (RFC 4862 section 5.4).
 */
export async function holdIpv6(hold: Ipv6Hold): Promise<void> {
  for (const address of hold.addresses) {
    await ip(['address', 'replace', address, 'dev', hold.interface, 'metric', String(hold.metric), 'nodad']);
  }
  for (const gateway of hold.gateways) await ip(['route', 'replace', ...defaultRoute(gateway, hold)]);
}

/** Removes the default routes of a hold, and the connected routes that the kernel gave its addresses; one that is gone already is fine. */
export async function releaseIpv6(hold: Pick<Ipv6Hold, 'interface' | 'metric'>): Promise<void> {
  for (const { family, device, destination, gateway, metric } of readRoutes()) {
    if (family !== 6 || device !== hold.interface || metric !== hold.metric) continue;
    const via = gateway === null ? [] : ['via', gateway];
    await run('ip', ['-6', 'route', 'delete', destination, ...via, 'dev', device, 'metric', String(metric)], commandMs);
  }
}

/**
 * Removes routes that the kernel has taken from a router advertisement on an interface that NetworkManager configures. To set a token it
 * lets the kernel accept advertisements for a moment (nm-l3cfg.c, _l3_commit_ip6_token), and the one that answers its solicitation may
 * come just then: a second default route, which nobody would renew.
 */
export async function dropKernelAdvertised(interfaceName: string): Promise<void> {
  for (const { device, destination, gateway, metric } of readKernelAdvertisedRoutes()) {
    if (device !== interfaceName) continue;
    const via = gateway === null ? [] : ['via', gateway];
    await run('ip', ['-6', 'route', 'delete', destination, ...via, 'dev', device, 'metric', String(metric)], commandMs);
  }
}

function defaultRoute(gateway: string, hold: Ipv6Hold): readonly string[] {
  return ['default', 'via', gateway, 'dev', hold.interface, 'metric', String(hold.metric)];
}

async function ip(words: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await run('ip', ['-6', ...words], commandMs);
  if (exitCode === 0) return;
  throw new AgentError('step-failed', `the kernel refused \`ip -6 ${words.join(' ')}\`: ${stderr.trim()}`, {
    hint: 'check that IPv6 is enabled on the node: sysctl net.ipv6.conf.all.disable_ipv6',
  });
}
