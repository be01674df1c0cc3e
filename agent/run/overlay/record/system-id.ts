import { readSmallFile, writeFileAtomically } from '../../../drivers/host/files/files.ts';
import { AgentError } from '../../../errors.ts';
import { isSystemId } from './name-forms.ts';

/**
 * Reads the system-id of the machine, which ovs-ctl(8) creates at the first start of Open vSwitch and never changes;
 * null if it does not exist yet. Fails with `overlay-conflict` if it is invalid.
 */
export function readSystemId(path: string): string | null {
  const text = readSmallFile(path)?.trim() ?? '';
  if (text === '') return null;
  if (isSystemId(text)) return text;
  throw new AgentError('overlay-conflict', `${path} has no usable system-id`, {
    hint: 'write a UUID into it (uuidgen), and restart Open vSwitch',
    facts: { path },
  });
}

/** Writes the system-id of a machine that has none yet. */
export function writeSystemId(path: string, systemId: string): void {
  writeFileAtomically(path, `${systemId}\n`);
}
