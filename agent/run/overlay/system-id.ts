import { readSmallFile, writeFileAtomically } from '../../drivers/host/files.ts';
import { AgentError } from '../../errors.ts';
import { isSystemId } from './name-forms.ts';

/** The machine's system-id, which ovs-ctl(8) makes at the first start of Open vSwitch and never changes; null: there is none yet. */
export function readSystemId(path: string): string | null {
  const text = readSmallFile(path)?.trim() ?? '';
  if (text === '') return null;
  if (isSystemId(text)) return text;
  throw new AgentError('overlay-conflict', `${path} has no usable system-id`, {
    hint: 'write a UUID into it (uuidgen), and restart Open vSwitch',
    facts: { path },
  });
}

/** Gives the machine a system-id that it does not have yet. */
export function writeSystemId(path: string, systemId: string): void {
  writeFileAtomically(path, `${systemId}\n`);
}
