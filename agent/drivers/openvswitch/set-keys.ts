import type { OvsColumn } from '../../model/tuning.ts';
import { mutate, type OvsdbClient } from '../ovsdb/index.ts';
import { replaceKeys } from './replace-keys.ts';
import { takenOver } from './taken-over.ts';

/** Ending and starting its threads takes vswitchd some milliseconds; 10 s is for a machine that swaps. */
const takenOverMs = 10_000;

/** Sets and removes (null) keys in the row of Open vSwitch itself as one transaction and waits until vswitchd has taken them over. */
export async function setKeys(
  client: OvsdbClient,
  column: OvsColumn,
  values: Readonly<Record<string, string | null>>,
): Promise<void> {
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  const replaced = replaceKeys(column, Object.fromEntries(set), Object.keys(values));
  await takenOver(client, takenOverMs, [mutate('Open_vSwitch', [], replaced)]);
}
