import { mutate, type Operation, type OvsdbClient, readInteger, select, wait } from '../ovsdb/index.ts';

/**
 * Operation that makes ovs-vswitchd confirm the transaction as soon as it has applied it (ovs-vswitchd.conf.db(5),
 * next_cfg).
 */
export const askVswitchd = mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]);

/**
 * Runs operations as one transaction and waits until ovs-vswitchd has applied it. With the limit null, does not wait.
 */
export async function takenOver(
  client: OvsdbClient,
  limitMs: number | null,
  operations: readonly Operation[],
): Promise<void> {
  const change = [...operations, askVswitchd, select('Open_vSwitch', [], ['next_cfg'])];
  const [row] = (await client.transact('Open_vSwitch', change)).at(-1) ?? [];
  if (limitMs === null) return;
  const asked = readInteger(row?.next_cfg);
  if (asked === undefined) throw new Error('its table Open_vSwitch has no row');
  await client.transact('Open_vSwitch', [
    wait({
      table: 'Open_vSwitch',
      where: [['cur_cfg', '<', asked]],
      columns: ['cur_cfg'],
      until: '==',
      rows: [],
      timeout: limitMs,
    }),
  ]);
}
