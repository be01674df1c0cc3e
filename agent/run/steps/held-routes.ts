import { readHeldRoutes, releaseRoutes } from '../../drivers/host/kernel/address-hold.ts';
import { readRoutes } from '../../drivers/host/kernel/routes.ts';
import type { Step } from '../../model/plan.ts';

/**
 * Returns steps that release the routes which an earlier rollback still holds. Such routes can remain after a crash of
 * that rollback or of a service that it needed. The planner does not plan these steps, because it releases held routes
 * only of a NIC that it takes out of a bridge, and the NICs of such routes are already out of their bridges.
 */
export async function releaseLeft(): Promise<readonly Step[]> {
  return (await readHeldRoutes()).map((hold) => ({
    do: 'releaseRoutes',
    ...hold,
    destinations: hold.routes.map(({ destination }) => destination).filter((destination) => destination.endsWith('/0')),
    why: `held routes are removed once ${hold.interface} has routes of its own`,
  }));
}

/**
 * Removes held routes that the NIC now has as routes of its own. A rollback on a LAN without a DHCP server leaves held
 * routes, because the node would be unreachable without them. After the server answers again, the held routes would
 * take precedence over the routes of the lease.
 */
export async function releaseReplaced(): Promise<void> {
  const routes = readRoutes();
  for (const hold of await readHeldRoutes()) {
    const own = routes.filter((route) => route.device === hold.interface && route.metric !== hold.metric);
    const replaced = hold.routes.filter((held) => own.some(({ destination }) => destination === held.destination));
    await releaseRoutes({ ...hold, routes: replaced });
  }
}
