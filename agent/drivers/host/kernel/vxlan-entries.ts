import { AgentError } from '../../../errors.ts';
import { commandMs, run } from '../process/exec.ts';

/** Entry in the forwarding table of a VXLAN device, as bridge(8) prints it in JSON. */
interface PrintedEntry {
  readonly mac?: string;
  /** Address of the VTEP. Absent for an entry that names none. */
  readonly dst?: string;
  readonly flags?: readonly string[];
}

/**
 * Reads the entries with a VTEP in the forwarding table of a VXLAN device. `isExternal` is true for entries of a
 * control plane (NTF_EXT_LEARNED). Fails with `step-failed` if bridge(8) fails, and with `command-missing`.
 */
export async function readVxlanEntries(
  device: string,
): Promise<readonly { readonly mac: string; readonly address: string; readonly isExternal: boolean }[]> {
  const { exitCode, stdout, stderr } = await run('bridge', ['-json', 'fdb', 'show', 'dev', device], commandMs);
  if (exitCode !== 0) throw unread(device, stderr);
  return parse(device, stdout).flatMap(({ mac, dst, flags = [] }) =>
    mac === undefined || dst === undefined
      ? []
      : [{ mac: mac.toLowerCase(), address: dst, isExternal: flags.includes('extern_learn') }],
  );
}

function parse(device: string, json: string): readonly PrintedEntry[] {
  try {
    return json.trim() === '' ? [] : (JSON.parse(json) as PrintedEntry[]);
  } catch {
    throw unread(device, json.slice(0, 80));
  }
}

function unread(device: string, text: string): AgentError {
  return new AgentError('step-failed', `the forwarding table of ${device} could not be read: ${text.trim()}`, {
    hint: `look at: bridge fdb show dev ${device}`,
    facts: { device },
  });
}
