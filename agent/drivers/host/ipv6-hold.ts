import type { Deadline } from '../../deadline.ts';
import { AgentError } from '../../errors.ts';
import type { Route } from '../../model/observation.ts';
import { isDefault } from '../../net/destination.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';
import { waitForKernel } from './kernel-events.ts';
import { readKernelAdvertisedRoutes, readRoutes } from './routes.ts';

/** A router answers a solicitation within half a second (MAX_RA_DELAY_TIME). */
const answerLimitMs = 600;

export interface Ipv6Hold {
  readonly interface: string;
  /** `address/prefix` */
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  readonly metric: number;
}

/**
 * Adds IPv6 addresses and default routes to an interface in the kernel, usable at once: the node holds these addresses on another
 * interface with the same MAC, so duplicate address detection would only find itself (RFC 4862 section 5.4). Fails with `step-failed`.
 */
export async function holdIpv6({ interface: name, addresses, gateways, metric }: Ipv6Hold): Promise<void> {
  const refusal = await ipBatchOrRefusal([
    ...addresses.map((address) => `address replace ${address} dev ${name} metric ${metric} nodad`),
    ...gateways.map((gateway) => `route replace ::/0 via ${gateway} dev ${name} metric ${metric}`),
  ]);
  if (refusal === null) return;
  throw new AgentError('step-failed', `the kernel refused ${refusal}`, {
    hint: 'check that IPv6 is enabled on the node: sysctl net.ipv6.conf.all.disable_ipv6',
  });
}

/** Removes the default routes of a hold, and the connected routes that the kernel gave its addresses; one that is gone already is fine. */
export async function releaseIpv6(hold: Pick<Ipv6Hold, 'interface' | 'metric'>): Promise<void> {
  const isHeld = ({ family, metric, device }: Route): boolean =>
    family === 6 && metric === hold.metric && device === hold.interface;
  await deleteRoutes(readRoutes().filter(isHeld));
}

/**
 * Removes routes that the kernel has taken from a router advertisement on an interface that NetworkManager configures. To set a token it
 * lets the kernel accept advertisements for a moment (nm-l3cfg.c, _l3_commit_ip6_token), and the one that answers its solicitation may
 * come just then, up to half a second later (RFC 4861 section 6.2.6): a second default route, which nobody would renew.
 */
export async function dropKernelAdvertised(interfaceName: string, deadline: Deadline): Promise<void> {
  const taken = (): readonly Route[] => readKernelAdvertisedRoutes().filter((route) => route.device === interfaceName);
  const isDefaultTaken = (): boolean => taken().some((route) => isDefault(route.destination));
  const none = new AgentError('activation-timeout', `the kernel took no router advertisement on ${interfaceName}`);
  await waitForKernel(isDefaultTaken, deadline, answerLimitMs, () => none).catch((error: unknown) => {
    if (error !== none) throw error;
  });
  await deleteRoutes(taken());
}

async function deleteRoutes(routes: readonly Route[]): Promise<void> {
  await ipBatch(
    routes.map(({ destination, gateway, device, metric }) => {
      const via = gateway === null ? '' : `via ${gateway} `;
      return `route delete ${destination} ${via}dev ${device} metric ${metric}`;
    }),
  );
}
