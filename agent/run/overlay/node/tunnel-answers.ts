import { answersPing } from '../../../drivers/host/kernel/reachability.ts';
import { isAgentError } from '../../../errors.ts';
import type { OverlayTunnel } from '../../../model/overlay-daemon.ts';
import { familyOf } from '../../../net/address.ts';

/**
 * Time limit for the answer of another node, which takes milliseconds on a LAN. All nodes are queried at the same time.
 */
const answerMs = 1_000;

/**
 * Returns each tunnel with `answers`: true if the other end answers an echo request at its tunnel address. `answers` is
 * null if the tunnel is down on this node, if this node has no tunnel address of the other end's family, or if ping(8)
 * is missing. `own` are this node's tunnel addresses.
 */
export function withAnswers(tunnels: readonly OverlayTunnel[], own: readonly string[]): Promise<OverlayTunnel[]> {
  return Promise.all(tunnels.map(async (tunnel) => ({ ...tunnel, answers: await answerOf(tunnel, own) })));
}

async function answerOf({ remoteAddress, fault }: OverlayTunnel, own: readonly string[]): Promise<boolean | null> {
  const source = own.find((address) => familyOf(address) === familyOf(remoteAddress));
  if (fault !== null || source === undefined) return null;
  return answersPing(remoteAddress, source, answerMs).catch((error: unknown) => {
    if (isAgentError(error) && error.kind === 'command-missing') return null;
    throw error;
  });
}
