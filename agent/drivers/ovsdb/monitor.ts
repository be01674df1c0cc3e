import type { OvsdbClient } from './connection.ts';
import type { Json } from './json.ts';

/** What to ask for: a method, its parameters (the second one is the id of the monitor), and how its updates are called. */
export interface MonitorRequest {
  readonly method: 'monitor' | 'monitor_cond' | 'monitor_cond_since';
  readonly params: readonly [database: string, id: string, ...Json[]];
  readonly notice: 'update' | 'update2' | 'update3';
}

/**
 * Starts a monitor (RFC 7047 section 4.1.5): `begin` gets the reply with the initial contents, then `update` the parameters of each
 * notification. A notification that is read together with the reply is kept back until `begin` has run. The function that it resolves with ends this; the
 * server is to be told besides (monitor_cancel).
 */
export async function startMonitor(
  client: OvsdbClient,
  request: MonitorRequest,
  begin: (reply: Json) => void,
  update: (params: readonly Json[]) => void,
): Promise<() => void> {
  let early: (readonly Json[])[] | undefined = [];
  const stop = client.onNotice((method, params) => {
    if (method !== request.notice || params[0] !== request.params[1]) return;
    if (early === undefined) update(params);
    else early.push(params);
  });
  try {
    begin(await client.call(request.method, request.params));
    for (const params of early) update(params);
    early = undefined;
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}
