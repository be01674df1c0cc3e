import { mutate, type Operation, type OvsdbClient, readInteger, select, wait } from '../ovsdb/index.ts';

/** The operation of a transaction that asks vswitchd to take it over (ovs-vswitchd.conf.db(5), next_cfg). */
export const askVswitchd = mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]);

/** Runs operations as one transaction and waits until vswitchd has taken it over; null: that is not waited for, whoever hangs. */
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
