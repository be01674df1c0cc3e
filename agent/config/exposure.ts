import type { Config } from '../model/config.ts';
import type { FixedRange, PortRange, ServiceExposure } from '../model/overlay.ts';
import { rangeTexts } from './overlay-ranges.ts';

const maxPort = 65_535;

/**
 * Returns the ports and port ranges of a setting such as `80,8000-8099`. Invalid parts are left out; they are reported
 * when the configuration is read.
 */
export function portRanges(text: string): readonly PortRange[] {
  return rangeTexts(text).flatMap((part) => portRange(part) ?? []);
}

/** Returns the reason why a setting is not a list of ports; null if it is one. */
export function portsFault(text: string): string | null {
  const wrong = rangeTexts(text).find((part) => portRange(part) === null);
  return wrong === undefined ? null : `"${wrong}" is not a port or range of ports from 1 to ${maxPort}`;
}

/** Returns the ports and addresses that ovn.yaml and MicroShift's NodePort range allow services to use. */
export function serviceExposure({ overlay, cluster }: Pick<Config, 'overlay' | 'cluster'>): ServiceExposure {
  return {
    nodePorts: [cluster.serviceNodePortRange.value, overlay.servicePorts.value ?? ''].flatMap(portRanges),
    externalRanges: rangeTexts(overlay.externalIPRanges.value ?? ''),
    fixedRanges: fixedRanges(overlay.fixedAddressRanges.value ?? ''),
  };
}

/** Returns the ranges of outside clients that may reach the pods of this node by a route, according to ovn.yaml. */
export function outsideClients({ overlay }: Pick<Config, 'overlay'>): readonly string[] {
  return rangeTexts(overlay.outsideClients.value ?? '');
}

/**
 * Returns the namespaces and ranges in overlay.fixedAddressRanges, such as `cameras=10.42.1.64/26,lab=10.42.1.128/26`.
 */
export function fixedRanges(text: string): readonly FixedRange[] {
  return rangeTexts(text).map((part) => {
    const [namespace = '', range = ''] = part.split('=');
    return { namespace, range };
  });
}

function portRange(text: string): PortRange | null {
  const [, from, to = from] = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first > 0 && first <= last && last <= maxPort ? { first, last } : null;
}
