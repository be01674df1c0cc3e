import { mutate, type Operation, type OvsdbClient, readInteger, select, wait } from '../ovsdb/index.ts';

/** The operation of a transaction that asks vswitchd to take it over (ovs-vswitchd.conf.db(5), next_cfg). */
export const askVswitchd = mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]);

/** Runs operations as one transaction and waits until vswitchd has taken it over. */
export async function takenOver(client: OvsdbClient, limitMs: number, operations: readonly Operation[]): Promise<void> {
  const asked = [...operations, askVswitchd, select('Open_vSwitch', [], ['next_cfg'])];
  const [row] = (await client.transact('Open_vSwitch', asked)).at(-1) ?? [];
  await client.transact('Open_vSwitch', [
    wait({
      table: 'Open_vSwitch',
      where: [['cur_cfg', '<', readInteger(row?.next_cfg) ?? 0]],
      columns: ['cur_cfg'],
      until: '==',
      rows: [],
      timeout: limitMs,
    }),
  ]);
}
