// Default routes of a node during a command.
import type { Recorded } from '../node/recorded-news.ts';

/**
 * Returns the kernel's messages after which an address family that had a default route at the start of the recording
 * had none.
 */
export function lostDefaultRoutes({ start, later }: Recorded): readonly string[] {
  const families = new Set(start?.defaults.map(({ family }) => family));
  return [...families].flatMap((family) =>
    later.filter(({ defaults }) => !defaults.some((route) => route.family === family)).map((moment) => moment.news),
  );
}
