import type { Json } from './json.ts';
import type { OvsdbClient } from './ovsdb-connection.ts';

/**
 * Monitor request: its method, its parameters (the second is the monitor id), and the name of its update notifications.
 */
export interface MonitorRequest {
  readonly method: 'monitor' | 'monitor_cond' | 'monitor_cond_since';
  readonly params: readonly [database: string, id: string, ...Json[]];
  readonly notice: 'update' | 'update2' | 'update3';
}

/**
 * Starts a monitor (RFC 7047 section 4.1.5). Calls `begin` with the reply, which has the initial contents, and then
 * calls `update` with the parameters of each notification. Notifications that arrive before `begin` has settled are
 * delayed until then. The returned function ends the calls; the caller also has to cancel the monitor at the server
 * (monitor_cancel).
 */
export async function startMonitor(
  client: OvsdbClient,
  request: MonitorRequest,
  begin: (reply: Json) => void | Promise<void>,
  update: (params: readonly Json[]) => void,
): Promise<() => void> {
  let early: (readonly Json[])[] | undefined = [];
  const stop = client.onNotice((method, params) => {
    if (method !== request.notice || params[0] !== request.params[1]) return;
    if (early === undefined) update(params);
    else early.push(params);
  });
  try {
    await begin(await client.call(request.method, request.params));
    for (const params of early) update(params);
    early = undefined;
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}
