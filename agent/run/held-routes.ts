import { readHeldRoutes, releaseRoutes } from '../drivers/host/address-hold.ts';
import { readRoutes } from '../drivers/host/routes.ts';
import type { Step } from '../model/plan.ts';

/**
 * Steps that end what an earlier way back has held, and did not live to end: the service that it needed died, or itself. A plan from where the node
 * is now finds the NIC out of its bridge, and knows nothing of it.
 */
export async function releaseLeft(): Promise<readonly Step[]> {
  return (await readHeldRoutes()).map((hold) => ({
    do: 'releaseRoutes',
    ...hold,
    destinations: hold.routes.map(({ destination }) => destination).filter((destination) => destination.endsWith('/0')),
    why: `what is still held goes once ${hold.interface} has routes of its own`,
  }));
}

/**
 * Removes held routes beside which the NIC has its own by now. A way back on a LAN whose DHCP server is away leaves them, or the node would not answer;
 * once the server is back they would win against what it says.
 */
export async function releaseReplaced(): Promise<void> {
  const routes = readRoutes();
  for (const hold of await readHeldRoutes()) {
    const own = routes.filter((route) => route.device === hold.interface && route.metric !== hold.metric);
    const replaced = hold.routes.filter((held) => own.some(({ destination }) => destination === held.destination));
    await releaseRoutes({ ...hold, routes: replaced });
  }
}
