import { existsSync } from 'node:fs';
import { signpost } from '../../model/signpost.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';

const { device, gateway, table } = signpost;

/**
 * Makes the bridge without ports and the route through it; what is there already stays. Returns the command that the kernel refuses and what it
 * says; null where it has all.
 */
export function placeSignpost(): Promise<string | null> {
  const link = existsSync(`/sys/class/net/${device}`) ? [] : [`link add ${device} type bridge`];
  return ipBatchOrRefusal([
    ...link,
    // The bridge gets no link-local address either, because programs that count all addresses would take it for one of the node's.
    `link set ${device} addrgenmode none`,
    `link set ${device} up`,
    `route replace ::/0 via ${gateway} dev ${device} onlink table ${table}`,
  ]);
}

/** Removes the bridge, with which the route goes. One that is gone already is fine. */
export function removeSignpost(): Promise<void> {
  return ipBatch([`link delete ${device}`]);
}
