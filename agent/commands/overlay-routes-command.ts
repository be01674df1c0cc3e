import type { OutsideRoutes, RouteFormat } from '../model/outside-routes.ts';
import { followOutsideRoutes, readOutsideRoutes } from '../run/overlay/node/read-outside-routes.ts';
import { overlayRoutesDocument } from '../view/json/overlay-routes-json.ts';
import { outsideRoutesText } from '../view/outside-routes-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';

/** Options of `overlay routes`. */
export interface RoutesOptions {
  readonly format: RouteFormat;
  readonly watch: boolean;
}

/**
 * `overlay routes`: prints static routes by which outside clients reach the pods of the cluster; runs on the central
 * node. With `watch`, prints them again after each change, until SIGINT, SIGTERM or SIGHUP; JSON is one line per state.
 */
export async function routes({ format, watch }: RoutesOptions, output: Output): Promise<void> {
  const { places } = await startOverlay('overlay routes');
  if (!watch) {
    const found = await readOutsideRoutes(places);
    return output.result(outsideRoutesText(found, format), overlayRoutesDocument(found), null, 'verbatim');
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const show = (found: OutsideRoutes): void =>
    output.state(outsideRoutesText(found, format), overlayRoutesDocument(found));
  return followOutsideRoutes(places, show, output.say, stop.signal);
}
