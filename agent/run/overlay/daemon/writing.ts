import { type AgentError, asAgentError } from '../../../errors.ts';
import { retryAfterMs } from './work.ts';

/** Something that is written where there may be no room for it. */
export interface Writing {
  /** What is to be written has changed. Never throws. */
  ask(): void;
  /** Does not try again any more. */
  close(): void;
}

/**
 * Writes at once when it is asked to. What fails is told once and tried again, later each time, until it has worked: no event says that a disk has room
 * again, and nothing else waits for it.
 */
export function createWriting(
  write: () => void,
  tell: { failed(error: AgentError): void; recovered(): void },
): Writing {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const attempt = (): void => {
    try {
      write();
      if (failures > 0) tell.recovered();
      failures = 0;
    } catch (thrown) {
      failures += 1;
      if (failures === 1) tell.failed(asAgentError(thrown));
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
