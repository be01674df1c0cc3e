import { mapOf, mutate, type OvsdbClient } from '../ovsdb/index.ts';
import { askVswitchd, takenOver } from './taken-over.ts';

/** Ending and starting its threads takes vswitchd some milliseconds; 10 s is for a machine that swaps. */
const takenOverMs = 10_000;

/** Sets and removes (null) keys of Open_vSwitch.other_config as one transaction and waits until vswitchd has taken them over. */
export async function setOtherConfig(
  client: OvsdbClient,
  values: Readonly<Record<string, string | null>>,
): Promise<void> {
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  const wait = { timeoutMs: takenOverMs, what: 'vswitchd takes over its configuration' };
  await takenOver(client, wait, async () => {
    await client.transact('Open_vSwitch', [
      // An insert does not replace the value of a key that is there (RFC 7047 section 5.1).
      mutate('Open_vSwitch', [], [['other_config', 'delete', Object.keys(values)]]),
      ...(set.length === 0
        ? []
        : [mutate('Open_vSwitch', [], [['other_config', 'insert', mapOf(Object.fromEntries(set))]])]),
      askVswitchd,
    ]);
    return true;
  });
}
