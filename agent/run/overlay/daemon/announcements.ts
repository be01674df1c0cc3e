import { isAgentError } from '../../../errors.ts';

/** MAX_NEIGHBOR_ADVERTISEMENT (RFC 4861 section 10): each frame may be lost, or come before the host has the address in its cache. */
const times = 3;
/** RETRANS_TIMER (RFC 4861 section 10). */
const betweenMs = 1_000;

/** Announces addresses that a gateway has begun to answer for. */
export interface Announcements {
  /** The gateway answers for these, and for no others. New ones are announced, and those of which a frame could not be sent. */
  know(addresses: readonly string[]): void;
  /** What could not be sent is sent now. */
  again(): void;
  close(): void;
}

/** `send` fails with an AgentError where the gateway cannot send yet: then `again`, or the next change, tries it once more. */
export function createAnnouncements(send: (addresses: readonly string[]) => Promise<void>): Announcements {
  /** How often each address is still to be announced; one that went and came back is another one. */
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
