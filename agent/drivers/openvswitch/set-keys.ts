import type { OvsColumn } from '../../model/tuning.ts';
import { mutate, type OvsdbClient } from '../ovsdb/index.ts';
import { replaceKeys } from './replace-keys.ts';
import { takenOver } from './taken-over.ts';

/**
 * Time limit for ovs-vswitchd to apply a change. It stops and starts its threads in milliseconds; 10 s allow for a
 * machine that swaps.
 */
const takenOverMs = 10_000;

/**
 * Sets keys in a column of the table Open_vSwitch in one transaction; a key with the value null is removed. Waits until
 * ovs-vswitchd has applied the change.
 */
export async function setKeys(
  client: OvsdbClient,
  column: OvsColumn,
  values: Readonly<Record<string, string | null>>,
): Promise<void> {
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  const replaced = replaceKeys(column, Object.fromEntries(set), Object.keys(values));
  await takenOver(client, takenOverMs, [mutate('Open_vSwitch', [], replaced)]);
}
