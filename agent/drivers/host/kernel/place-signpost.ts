import { existsSync } from 'node:fs';
import { signpost } from '../../../model/signpost.ts';
import { ipBatch, ipBatchOrRefusal } from './ip-batch.ts';

const { device, gateway, table } = signpost;

/**
 * Creates the signpost: a bridge without ports, and a default route through it by which MicroShift finds the node on lo
 * (model/signpost.ts). An existing bridge or route stays. Returns the first command that the kernel rejects, with its
 * error; null if all succeeded.
 */
export function placeSignpost(): Promise<string | null> {
  const link = existsSync(`/sys/class/net/${device}`) ? [] : [`link add ${device} type bridge`];
  return ipBatchOrRefusal([
    ...link,
    // The bridge gets no link-local address: programs that list the addresses of the node would treat it as one of
    // them.
    `link set ${device} addrgenmode none`,
    `link set ${device} up`,
    `route replace ::/0 via ${gateway} dev ${device} onlink table ${table}`,
  ]);
}

/** Removes the bridge of the signpost, and with it the route. A missing bridge is ignored. */
export function removeSignpost(): Promise<void> {
  return ipBatch([`link delete ${device}`]);
}
