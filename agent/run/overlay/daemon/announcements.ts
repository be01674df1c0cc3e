import { isAgentError } from '../../../errors.ts';

/**
 * MAX_NEIGHBOR_ADVERTISEMENT (RFC 4861, section 10). A frame may be lost, or arrive before the host has the address in
 * its cache.
 */
const times = 3;
/** RETRANS_TIMER (RFC 4861, section 10). */
const betweenMs = 1_000;

/** Announcements of the addresses for which a gateway has begun to answer. */
export interface Announcements {
  /**
   * Sets the addresses for which the gateway answers. Announces new addresses, and addresses of which a frame could not
   * be sent.
   */
  know(addresses: readonly string[]): void;
  /** Sends the frames that could not be sent before. */
  again(): void;
  close(): void;
}

/**
 * Creates the announcements of a gateway. `send` fails with an AgentError if the gateway cannot send yet; `again`, or
 * the next change, then repeats it.
 */
export function createAnnouncements(send: (addresses: readonly string[]) => Promise<void>): Announcements {
  /**
   * Number of announcements that each address still needs. An address that was removed and returns is announced from
   * the start again.
   */
  const known = new Map<string, { left: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;
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
      if (!isClosed && due().length > 0) timer = setTimeout(() => void round(), betweenMs);
    } catch (error) {
      if (!isAgentError(error)) throw error;
    } finally {
      isSending = false;
    }
  };
  const again = (): void => {
    if (timer === undefined) void round();
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
