import { mapOf, mutate, type OvsdbClient, setOf } from '../ovsdb/index.ts';
import { takenOver } from './taken-over.ts';

/** Ending and starting its threads takes vswitchd some milliseconds; 10 s is for a machine that swaps. */
const takenOverMs = 10_000;

/** Sets and removes (null) keys of Open_vSwitch.other_config as one transaction and waits until vswitchd has taken them over. */
export async function setOtherConfig(
  client: OvsdbClient,
  values: Readonly<Record<string, string | null>>,
): Promise<void> {
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  // An insert does not replace the value of a key that is there (RFC 7047 section 5.1).
  const removed = ['other_config', 'delete', setOf(Object.keys(values))] as const;
  const added = ['other_config', 'insert', mapOf(Object.fromEntries(set))] as const;
  await takenOver(client, takenOverMs, [mutate('Open_vSwitch', [], [removed, added])]);
}
