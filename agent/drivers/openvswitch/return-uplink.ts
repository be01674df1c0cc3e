import { mapOf, mutate, type OvsdbClient, readNumber } from '../ovsdb/index.ts';
import { readOvsFacts } from './facts.ts';

/** The external id by which NetworkManager knows a row for its own. */
const ownerKey = 'NM.connection.uuid';
/** Closing a NIC takes vswitchd some milliseconds; 10 s is for a driver that resets the device. */
const portClosedMs = 10_000;

export interface BridgeLoan {
  readonly bridge: string;
  /** External id that keeps the owner's UUID while NetworkManager's own is away. */
  readonly markKey: string;
}

/**
 * Takes away the mark by which NetworkManager knows the bridge: it touches no port of a bridge that is not its own (nm-ovsdb.c), so the
 * NIC stays a port while NetworkManager already runs another profile on it. When this resolves, the news is on its way to NetworkManager.
 */
export async function borrowBridge(client: OvsdbClient, { bridge, markKey }: BridgeLoan): Promise<void> {
  await moveOwner(client, bridge, ownerKey, markKey, null);
  await client.echo();
}

/** Puts the mark back; with a port, takes that port out in the same transaction and waits until vswitchd has let go of it. */
export async function returnBridge(
  client: OvsdbClient,
  { bridge, markKey }: BridgeLoan,
  port: string | null,
): Promise<void> {
  const monitor = await client.monitor('Open_vSwitch', { Open_vSwitch: ['next_cfg', 'cur_cfg'] });
  try {
    await moveOwner(client, bridge, markKey, ownerKey, port);
    await monitor.waitUntil(
      (tables) => {
        const [row] = [...tables.rows('Open_vSwitch').values()];
        return (readNumber(row?.cur_cfg) ?? 0) >= (readNumber(row?.next_cfg) ?? 1);
      },
      { timeoutMs: portClosedMs, what: `vswitchd lets go of ${port ?? bridge}` },
    );
  } finally {
    await monitor.cancel().catch(() => undefined);
  }
}

async function moveOwner(
  client: OvsdbClient,
  name: string,
  from: string,
  to: string,
  port: string | null,
): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const bridge = bridges.find((row) => row.name === name);
  const owner = bridge?.externalIds[from];
  const gone = bridge?.ports.filter((row) => row.name === port) ?? [];
  if (bridge === undefined || (owner === undefined && gone.length === 0)) return;
  const where = [['_uuid', '==', { uuid: bridge.uuid }]] as const;
  await client.transact('Open_vSwitch', [
    ...(owner === undefined
      ? []
      : [
          mutate('Bridge', where, [
            ['external_ids', 'delete', [from]],
            ['external_ids', 'insert', mapOf({ [to]: owner })],
          ]),
        ]),
    ...(gone.length === 0 ? [] : [mutate('Bridge', where, [['ports', 'delete', gone.map(({ uuid }) => ({ uuid }))]])]),
    mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]),
  ]);
}
