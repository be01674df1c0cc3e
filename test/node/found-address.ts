// IPv4 address that MicroShift finds as the node's own while commands run.
import type { Moment } from './kernel-news.ts';
import type { Recorded } from './recorded-news.ts';

/**
 * Returns the address (`address/prefix`) that MicroShift finds if node.nodeIP is not set: the first global address of
 * the first device that has a default route and a global address (k8s.io/apimachinery, pkg/util/net/interface.go,
 * chooseHostInterface); null if no device has both. MicroShift reads the default routes in the order of the kernel,
 * which is the order of their metrics.
 */
function foundAddress({ addresses, defaults }: Moment): string | null {
  const routes = defaults.filter(({ family }) => family === 4).toSorted((one, other) => one.metric - other.metric);
  const found = routes.flatMap(({ device }) =>
    addresses.filter((one) => one.device === device && one.family === 4 && one.scope === 'global'),
  );
  return found.find(({ address }) => !address.startsWith('169.254.'))?.address ?? null;
}

/**
 * Returns the kernel's messages after which MicroShift would find another IPv4 address than `wanted`, or none, with the
 * address that it would find; `wanted` is the address at the start of the recording by default. MicroShift looks for
 * the address every 5 s, and restarts if it finds another one.
 */
export function otherAddresses(
  { start, later }: Recorded,
  wanted = start === undefined ? null : foundAddress(start),
): readonly string[] {
  return [...(start === undefined ? [] : [start]), ...later].flatMap((moment) => {
    const found = foundAddress(moment);
    return found === wanted ? [] : [`${found}: ${moment.news}`];
  });
}
