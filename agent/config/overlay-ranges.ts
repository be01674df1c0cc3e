import type { Config } from '../model/config.ts';
import { joinSubnets, masqueradeSubnets } from '../model/ovn-kubernetes-addresses.ts';
import { type AddressRange, overlaps, parseRange } from '../net/address-range.ts';

/** An address range, with the name and the source under which messages show it. */
export interface NamedRange {
  readonly name: string;
  readonly source: string;
  readonly range: AddressRange;
}

/** Splits a setting at its commas, each of which may be followed by a space; leaves out empty parts. */
export function rangeTexts(text: string): string[] {
  return text.split(/, ?/).filter((part) => part !== '');
}

/** Returns the reason why a setting does not contain usable ranges; null if the ranges are usable. */
export function rangesFault(text: string): string | null {
  const ranges = rangeTexts(text).map((part) => parseRange(part));
  for (const [index, range] of ranges.entries()) {
    const part = rangeTexts(text)[index] ?? '';
    if (range === null) return `"${part}" is not an address range`;
    if (!range.canonical) return `"${part}" has host bits set`;
  }
  return new Set(ranges.map((range) => range?.family)).size < ranges.length ? 'it has two ranges of one family' : null;
}

/**
 * Returns the ranges of the overlay for pods, for services, and for the switch between the routers (`join`). Pods and
 * services have the ranges of ovn.yaml, or else those of MicroShift's own files. If pods have an IPv6 range and the
 * setting of the switch has none, the switch has the default IPv6 range.
 */
export function overlayRanges({ overlay, cluster }: Pick<Config, 'overlay' | 'cluster'>) {
  const named = (name: string, texts: readonly string[], source: string): NamedRange[] =>
    texts.flatMap((text) => {
      const range = parseRange(text);
      return range === null ? [] : [{ name, source, range }];
    });
  const { clusterSubnet, serviceSubnet, joinSubnet } = overlay;
  const { clusterNetwork, serviceNetwork } = cluster;
  const pods =
    clusterSubnet.value === null
      ? named('network.clusterNetwork', clusterNetwork.value, clusterNetwork.source)
      : named('overlay.clusterSubnet', rangeTexts(clusterSubnet.value), clusterSubnet.source);
  const services =
    serviceSubnet.value === null
      ? named('network.serviceNetwork', serviceNetwork.value, serviceNetwork.source)
      : named('overlay.serviceSubnet', rangeTexts(serviceSubnet.value), serviceSubnet.source);
  const joinTexts = rangeTexts(joinSubnet.value);
  const hasIpv6 = (ranges: readonly NamedRange[]): boolean => ranges.some(({ range }) => range.family === 6);
  const written = named('overlay.joinSubnet', joinTexts, joinSubnet.source);
  const needsIpv6 = hasIpv6(pods) && !hasIpv6(written);
  const join = needsIpv6 ? [...written, ...named('overlay.joinSubnet', [joinSubnets[6]], 'default')] : written;
  return { pods, services, join };
}

/** Returns the ranges that no overlay may use: those of the masquerade addresses of ovn-kubernetes. */
export function reservedRanges(): readonly NamedRange[] {
  return Object.values(masqueradeSubnets).flatMap((text) => {
    const range = parseRange(text);
    return range === null ? [] : [{ name: "the node's own masquerade addresses", source: 'ovn-kubernetes', range }];
  });
}

/** Returns every pair of overlapping ranges as a sentence that names both. */
export function rangeConflicts(wanted: readonly NamedRange[], others: readonly NamedRange[]): string[] {
  return wanted.flatMap((one, index) => {
    const against = [...wanted.slice(index + 1), ...others];
    return against
      .filter(({ range }) => overlaps(one.range, range))
      .map((other) => `${said(one)} overlaps ${said(other)}`);
  });
}

function said({ name, source, range }: NamedRange): string {
  return `${name} ${range.text} (${source})`;
}
