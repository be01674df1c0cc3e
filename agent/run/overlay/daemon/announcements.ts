import { isAgentError } from '../../../errors.ts';
import { retryAfterMs } from '../loop/pace.ts';

/**
 * Number of announcements per address (MAX_NEIGHBOR_ADVERTISEMENT, RFC 4861, section 10). One announcement is not
 * enough: a frame can be lost, or arrive before the host has the address in its neighbour cache.
 */
const times = 3;
/** Time between two announcements of an address (RETRANS_TIMER, RFC 4861, section 10). */
const betweenMs = 1_000;

/** Announcements of the addresses for which a gateway answers on its LAN. */
export interface Announcements {
  /**
   * Sets the addresses for which the gateway answers. Announces the new addresses, and the addresses for which an
   * earlier frame could not be sent.
   */
  know(addresses: readonly string[]): void;
  /** Sends at once the announcements that could not be sent when they were due. */
  again(): void;
  close(): void;
}

/**
 * Creates the announcements of a gateway. `send` sends one announcement of each given address, and fails with an
 * AgentError while the gateway cannot send. A failed call is repeated after growing pauses, or when a function of the
 * returned object requests it.
 */
export function createAnnouncements(send: (addresses: readonly string[]) => Promise<void>): Announcements {
  /**
   * Number of announcements that are still due, by address. An address that is removed and added again is announced as
   * often as a new one.
   */
  const known = new Map<string, { left: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;
  let failures = 0;
  let isClosed = false;
  const due = () => [...known].filter(([, { left }]) => left > 0);
  const round = async (): Promise<void> => {
    timer = undefined;
    const sent = due();
    if (sent.length === 0 || isSending || isClosed) return;
    isSending = true;
    try {
      await send(sent.map(([address]) => address));
      for (const [, one] of sent) one.left -= 1;
      failures = 0;
      if (!isClosed && due().length > 0) timer = setTimeout(() => void round(), betweenMs);
    } catch (error) {
      if (!isAgentError(error)) throw error;
      failures += 1;
      if (!isClosed) timer = setTimeout(() => void round(), retryAfterMs(failures));
    } finally {
      isSending = false;
    }
  };
  const again = (): void => {
    if (failures > 0) clearTimeout(timer);
    if (failures > 0 || timer === undefined) void round();
  };
  return {
    know: (addresses) => {
      for (const address of known.keys()) if (!addresses.includes(address)) known.delete(address);
      for (const address of addresses) if (!known.has(address)) known.set(address, { left: times });
      again();
    },
    again,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
