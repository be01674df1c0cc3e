import { existsSync } from 'node:fs';
import { signpost } from '../../../model/signpost.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';

const { device, gateway, table } = signpost;

/**
 * Makes the bridge without ports and the route through it; existing ones stay. Returns the command that the kernel
 * rejects and its error; null if all succeeded.
 */
export function placeSignpost(): Promise<string | null> {
  const link = existsSync(`/sys/class/net/${device}`) ? [] : [`link add ${device} type bridge`];
  return ipBatchOrRefusal([
    ...link,
    // The bridge gets no link-local address, because programs that count all addresses would treat it as one of the
    // node's.
    `link set ${device} addrgenmode none`,
    `link set ${device} up`,
    `route replace ::/0 via ${gateway} dev ${device} onlink table ${table}`,
  ]);
}

/** Removes the bridge, and with it the route. A missing bridge is ignored. */
export function removeSignpost(): Promise<void> {
  return ipBatch([`link delete ${device}`]);
}
