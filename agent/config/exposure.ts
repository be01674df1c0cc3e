import type { Config } from '../model/config.ts';
import type { PortRange, ServiceExposure } from '../model/overlay.ts';
import { rangeTexts } from './overlay-ranges.ts';

const maxPort = 65_535;

/** Ports and ranges of ports, `80,8000-8099`. What is none of them is left out: portsFault names it. */
export function portRanges(text: string): readonly PortRange[] {
  return rangeTexts(text).flatMap((part) => portRange(part) ?? []);
}

/** Why a setting is no list of ports; null: it is. */
export function portsFault(text: string): string | null {
  const wrong = rangeTexts(text).find((part) => portRange(part) === null);
  return wrong === undefined ? null : `"${wrong}" is no port or range of ports from 1 to ${maxPort}`;
}

/** What ovn.yaml, and MicroShift's NodePort range, allow services. */
export function serviceExposure({ overlay, cluster }: Pick<Config, 'overlay' | 'cluster'>): ServiceExposure {
  return {
    nodePorts: [cluster.serviceNodePortRange.value, overlay.servicePorts.value ?? ''].flatMap(portRanges),
    externalRanges: rangeTexts(overlay.externalIPRanges.value ?? ''),
  };
}

function portRange(text: string): PortRange | null {
  const [, from, to = from] = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first > 0 && first <= last && last <= maxPort ? { first, last } : null;
}
