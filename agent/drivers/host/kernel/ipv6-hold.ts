import type { Deadline } from '../../../deadline.ts';
import { AgentError } from '../../../errors.ts';
import type { Route } from '../../../model/observation.ts';
import { isDefault } from '../../../net/destination.ts';
import { ipBatch } from './ip-batch.ts';
import { waitForKernel } from './kernel-events.ts';
import { readKernelAdvertisedRoutes, readRoutes } from './routes.ts';

/**
 * Time limit, in ms, for a router advertisement. A router answers a solicitation within half a second
 * (MAX_RA_DELAY_TIME).
 */
const answerLimitMs = 600;

/**
 * Interface and metric of the IPv6 default routes that the agent adds for the time until NetworkManager adds its own.
 */
interface Ipv6Hold {
  readonly interface: string;
  readonly metric: number;
}

/**
 * Removes the IPv6 routes with this interface and metric: default routes that the agent added, and connected routes
 * that the kernel added for addresses of the agent.
 */
export async function releaseIpv6(hold: Ipv6Hold): Promise<void> {
  const isHeld = ({ family, metric, device }: Route): boolean =>
    family === 6 && metric === hold.metric && device === hold.interface;
  await deleteRoutes(readRoutes().filter(isHeld));
}

/**
 * Removes routes that the kernel added from a router advertisement on an interface that NetworkManager configures. When
 * NetworkManager sets a token, it lets the kernel accept advertisements for a moment (nm-l3cfg.c,
 * _l3_commit_ip6_token). From an advertisement in this moment, the kernel adds a second default route, which no program
 * would renew. The advertisement answers the kernel's own solicitation up to half a second later (RFC 4861 section
 * 6.2.6), so the function waits for it.
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
