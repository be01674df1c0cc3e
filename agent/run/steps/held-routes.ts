import { readHeldRoutes, releaseRoutes } from '../../drivers/host/kernel/address-hold.ts';
import { readRoutes } from '../../drivers/host/kernel/routes.ts';
import type { Step } from '../../model/plan.ts';

/**
 * Returns steps that release the routes that an earlier rollback has held and could not release, because a service that
 * it needed crashed, or the rollback itself did. A plan from the present state finds the NIC out of its bridge, so it
 * has no step for them.
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
 * Removes held routes for which the NIC has a route of its own by now. A rollback on a LAN whose DHCP server is away
 * leaves held routes, because the node would be unreachable without them. Once the server answers again they would take
 * precedence over its routes.
 */
export async function releaseReplaced(): Promise<void> {
  const routes = readRoutes();
  for (const hold of await readHeldRoutes()) {
    const own = routes.filter((route) => route.device === hold.interface && route.metric !== hold.metric);
    const replaced = hold.routes.filter((held) => own.some(({ destination }) => destination === held.destination));
    await releaseRoutes({ ...hold, routes: replaced });
  }
}
