import { type AgentError, asAgentError } from '../../../errors.ts';
import { retryAfterMs } from './pace.ts';

/** Write of a file that is repeated until it succeeds. */
export interface Writing {
  /** Requests a write of the present content of the file. Never throws. */
  ask(): void;
  /** Cancels further attempts to write the file. */
  close(): void;
}

/**
 * Creates a writer that writes as soon as a write is requested. Reports a failure once, and tries again after growing
 * pauses until a write succeeds, because no event reports that a disk has free space again.
 */
export function createWriting(
  write: () => void,
  reporter: { failed(error: AgentError): void; recovered(): void },
): Writing {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const attempt = (): void => {
    try {
      write();
      if (failures > 0) reporter.recovered();
      failures = 0;
    } catch (thrown) {
      failures += 1;
      if (failures === 1) reporter.failed(asAgentError(thrown));
      timer = setTimeout(attempt, retryAfterMs(failures)).unref();
    }
  };
  return {
    ask: () => {
      if (failures === 0) attempt();
    },
    close: () => clearTimeout(timer),
  };
}
