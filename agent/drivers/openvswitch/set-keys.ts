import type { OvsColumn } from '../../model/tuning.ts';
import { mutate, type OvsdbClient } from '../ovsdb/index.ts';
import { replaceKeys } from './replace-keys.ts';
import { takenOver } from './taken-over.ts';

/**
 * Time limit for ovs-vswitchd to apply a change. It ends and starts its threads in milliseconds; 10 s allow for a
 * machine that swaps.
 */
const takenOverMs = 10_000;

/**
 * Sets keys in the row of the table Open_vSwitch, or removes those that are null, in one transaction, and waits until
 * ovs-vswitchd has applied it.
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
