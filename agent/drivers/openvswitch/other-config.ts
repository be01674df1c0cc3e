import { mapOf, mutate, type OvsdbClient, readNumber } from '../ovsdb/index.ts';

/** Ending and starting its threads takes vswitchd some milliseconds; 10 s is for a machine that swaps. */
const takenOverMs = 10_000;

/** Sets and removes (null) keys of Open_vSwitch.other_config as one transaction and waits until vswitchd has taken them over. */
export async function setOtherConfig(
  client: OvsdbClient,
  values: Readonly<Record<string, string | null>>,
): Promise<void> {
  const monitor = await client.monitor('Open_vSwitch', { Open_vSwitch: ['next_cfg', 'cur_cfg'] });
  try {
    const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
    await client.transact('Open_vSwitch', [
      // An insert does not replace the value of a key that is there (RFC 7047 section 5.1).
      mutate('Open_vSwitch', [], [['other_config', 'delete', Object.keys(values)]]),
      ...(set.length === 0
        ? []
        : [mutate('Open_vSwitch', [], [['other_config', 'insert', mapOf(Object.fromEntries(set))]])]),
      mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]),
    ]);
    await monitor.waitUntil(
      (tables) => {
        const [row] = [...tables.rows('Open_vSwitch').values()];
        return (readNumber(row?.cur_cfg) ?? 0) >= (readNumber(row?.next_cfg) ?? 1);
      },
      { timeoutMs: takenOverMs, what: 'vswitchd takes over its configuration' },
    );
  } finally {
    await monitor.cancel().catch(() => undefined);
  }
}
