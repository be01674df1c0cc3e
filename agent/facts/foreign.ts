import { readForeign } from '../drivers/host/kernel-entries.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import type { KernelEntries } from '../model/kernel-entries.ts';
import { standbyMetric } from '../model/limits.ts';
import { isLoopback, type Link, type NetworkManagerFacts, prefixedAddress, type Route } from '../model/observation.ts';
import { fixedAddresses } from '../model/settings.ts';
import { bridges } from '../plan/names.ts';

/** Bridges whose routes and neighbours are read, too: they go with the bridge. */
function namesOf(added: readonly AddedBridge[]): readonly string[] {
  return [...bridges, ...added].map(({ bridge }) => bridge);
}

/**
 * What others than NetworkManager gave links. To ask costs a process, so it is asked only where there may be any: a link has more addresses than
 * one of a family, or a bridge has one and is not where the default route goes.
 */
export async function readForeignEntries(
  links: readonly Link[],
  routes: readonly Route[],
  added: readonly AddedBridge[],
): Promise<readonly KernelEntries[]> {
  const bridgeNames = namesOf(added);
  const mayHave = links.some((link) => {
    const addresses = link.addresses.filter((entry) => entry.scope !== 'host' && !entry.temporary);
    const own = addresses.filter((entry) => entry.family === 4 || entry.scope === 'global');
    if (isLoopback(link)) return link.addresses.some((entry) => !/^127\.|^::1$/.test(entry.address));
    const isUsed = routes.some((route) => route.device === link.name && route.destination.endsWith('/0'));
    if (bridgeNames.includes(link.name) && !isUsed) return own.length > 0;
    return ([4, 6] as const).some((family) => own.filter((entry) => entry.family === family).length > 1);
  });
  return mayHave ? readForeign(bridgeNames, standbyMetric) : [];
}

/**
 * Leaves out what a profile lists that runs on the link: NetworkManager shows a link that somebody else configured as a profile, and an admin may
 * have added by hand what the profile has, too; and links that NetworkManager leaves alone.
 */
export function withoutListed(
  foreign: readonly KernelEntries[],
  { profiles, activeConnections, devices }: NetworkManagerFacts,
  added: readonly AddedBridge[] = [],
): readonly KernelEntries[] {
  const alone = [...namesOf(added), 'lo'];
  return foreign.flatMap((entries) => {
    const paths = devices.filter((device) => device.interface === entries.interface).map((device) => device.path);
    const running = activeConnections.filter((active) => active.devices.some((path) => paths.includes(path)));
    // Nobody knows what is whose on a link that NetworkManager leaves alone, but for those that nobody else has to do with.
    if (running.length === 0 && !alone.includes(entries.interface)) return [];
    const listed = profiles
      .filter((profile) => running.some((active) => active.uuid === profile.uuid))
      .flatMap(({ settings }) => fixedAddresses(settings));
    const addresses = entries.addresses.filter(({ address }) => !listed.includes(address));
    return addresses.length === 0 ? [] : [{ ...entries, addresses }];
  });
}

/** Links whose foreign addresses say so. */
export function withForeignMarks(links: readonly Link[], foreign: readonly KernelEntries[]): readonly Link[] {
  return links.map((link) => {
    const own = foreign.find((entries) => entries.interface === link.name)?.addresses.map(({ address }) => address);
    if (own === undefined) return link;
    const addresses = link.addresses.map((entry) =>
      own.includes(prefixedAddress(entry)) ? { ...entry, foreign: true as const } : entry,
    );
    return { ...link, addresses };
  });
}
