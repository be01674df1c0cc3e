import { mutate, type OvsdbClient, readNumber, type WaitOptions } from '../ovsdb/index.ts';

/** The operation of a transaction that asks vswitchd to take it over (ovs-vswitchd.conf.db(5), next_cfg). */
export const askVswitchd = mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]);

/** Makes a change and waits until vswitchd has taken it over; there is nothing to wait for where `change` says that it made none. */
export async function takenOver(
  client: OvsdbClient,
  options: WaitOptions,
  change: () => Promise<boolean>,
): Promise<void> {
  const monitor = await client.monitor('Open_vSwitch', { Open_vSwitch: ['next_cfg', 'cur_cfg'] });
  try {
    if (!(await change())) return;
    await monitor.waitUntil((tables) => {
      const [row] = tables.rows('Open_vSwitch');
      return (readNumber(row?.cur_cfg) ?? 0) >= (readNumber(row?.next_cfg) ?? 1);
    }, options);
  } finally {
    await monitor.cancel().catch(() => undefined);
  }
}
