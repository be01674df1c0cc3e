import type { NetworkManager } from './client.ts';
import { activeInterface, rootInterface, rootPath } from './names.ts';

/** NMActiveConnectionState of every active connection with one of these profiles; one that ends meanwhile is not among them. */
export async function activationStates(nm: NetworkManager, uuids: readonly string[]): Promise<readonly number[]> {
  const actives = (await nm.property(rootPath, rootInterface, 'ActiveConnections')) as string[];
  const read = async (path: string): Promise<readonly number[]> => {
    const uuid = String(await nm.property(path, activeInterface, 'Uuid').catch(() => ''));
    if (!uuids.includes(uuid)) return [];
    const state = await nm.property(path, activeInterface, 'State').catch(() => null);
    return state === null ? [] : [Number(state)];
  };
  return (await Promise.all(actives.map(read))).flat();
}
