import type { OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import { addressEntries, isAddressEntry } from '../members/announced-addresses.ts';
import { directEntries, isDirectEntry } from '../members/announced-direct.ts';
import { isListenerEntry, listenerEntries } from '../members/announced-listeners.ts';
import { isRangeEntry, rangeEntries } from '../members/announced-ranges.ts';
import { announcement, isAnnounced } from '../members/announcement.ts';
import { isRequestEntry, requestEntry } from '../members/renewal.ts';
import { tagKeys } from '../rows/tag-keys.ts';

/** Changes of external_ids: entries to set, and keys to remove. */
export interface SettingChanges {
  readonly put: Readonly<Record<string, string>>;
  readonly drop: readonly string[];
}

/**
 * Returns the changes of the external_ids keys in which other programs have entries besides the agent's
 * (ovn-controller(8)): `ovn-bridge-mappings` maps a gateway's network to its bridge, and `ovn-cms-options` announces
 * data to the central node. Entries of other programs stay unchanged. `there` has the present external_ids. A null
 * `gateway` removes the agent's entries for a gateway. `node` has the other data that the node announces, and `request`
 * its certificate request in PEM; if a value is undefined, the agent's entries for it stay. A null `request` removes
 * the request. The entries for outside clients are replaced only together with those for the addresses of the node's
 * interfaces (`hostCidrs`).
 */
export function sharedSettings(
  there: Readonly<Record<string, string>>,
  gateway: OverlayGateway | null,
  node: Pick<OverlayNode, 'listeners' | 'furtherAddresses' | 'hostCidrs' | 'outsideClients' | 'direct'> = {},
  request?: string | null,
): SettingChanges {
  const { listeners, furtherAddresses, hostCidrs, direct } = node;
  const mappings = entriesOf(there['ovn-bridge-mappings']);
  const options = entriesOf(there['ovn-cms-options']);
  const own = gateway === null ? null : `${gateway.physicalNetwork}:${gateway.bridge}`;
  const before = there[tagKeys.mapping];
  const isForeign = own !== null && own !== before && mappings.includes(own);
  const isOther = (entry: string): boolean =>
    entry !== before && (gateway === null || entry.split(':')[0] !== gateway.physicalNetwork);
  const wanted: Readonly<Record<string, readonly string[]>> = {
    'ovn-bridge-mappings': isForeign
      ? mappings.filter((entry) => entry !== before)
      : [...mappings.filter(isOther), ...(own === null ? [] : [own])],
    [tagKeys.mapping]: own === null || isForeign ? [] : [own],
    'ovn-cms-options': [
      ...options.filter(
        (entry) =>
          ![isAnnounced, isAddressEntry, isRangeEntry, isDirectEntry, isListenerEntry, isRequestEntry].some((is) =>
            is(entry),
          ),
      ),
      ...(gateway === null ? [] : announcement(gateway)),
      ...(furtherAddresses === undefined ? options.filter(isAddressEntry) : addressEntries(furtherAddresses)),
      ...(hostCidrs === undefined ? options.filter(isRangeEntry) : rangeEntries(node)),
      ...(direct === undefined ? options.filter(isDirectEntry) : directEntries(direct)),
      ...(listeners === undefined ? options.filter(isListenerEntry) : listenerEntries(listeners)),
      ...(request === undefined ? options.filter(isRequestEntry) : request === null ? [] : [requestEntry(request)]),
    ],
  };
  const entries = Object.entries(wanted);
  return {
    put: Object.fromEntries(entries.filter(([, list]) => list.length > 0).map(([key, list]) => [key, list.join(',')])),
    drop: entries.filter(([, list]) => list.length === 0).map(([key]) => key),
  };
}

function entriesOf(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').filter((entry) => entry !== '');
}
