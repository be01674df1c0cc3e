import type { Deadline } from '../../deadline.ts';
import { AgentError } from '../../errors.ts';
import type { Route } from '../../model/observation.ts';
import { isDefault } from '../../net/destination.ts';
import { ipBatch } from './ip-batch.ts';
import { waitForKernel } from './kernel-events.ts';
import { readKernelAdvertisedRoutes, readRoutes } from './routes.ts';

/** A router answers a solicitation within half a second (MAX_RA_DELAY_TIME). */
const answerLimitMs = 600;

/** Default routes that stand in for those of a router: by their metric they are known. */
interface Ipv6Hold {
  readonly interface: string;
  readonly metric: number;
}

/** Removes the default routes of a hold, and the connected routes that the kernel gave its addresses; one that is gone already is fine. */
export async function releaseIpv6(hold: Ipv6Hold): Promise<void> {
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
