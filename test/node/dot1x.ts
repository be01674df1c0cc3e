// State of a NIC's 802.1X authentication at the switch, as hostapd reports it, and the frames that the port of the
// switch forwards.
import path from 'node:path';
import type { NodeOptions, TestNode } from './node.ts';
import { sourceDir } from './source.ts';

/**
 * LAN whose switch requires authentication, and the supplicant of the node. Debian's supplicant exits on a kernel
 * without wifi, such as the kernel of the test node.
 */
export const authenticatedLan: Pick<NodeOptions, 'lan' | 'folders'> = {
  lan: 'dot1x',
  folders: { '/testnode/wired-supplicant.py': path.join(sourceDir, 'guest/wired-supplicant.py') },
};

export const nicMac = '52:54:00:aa:00:00';
const log = '/run/testnode/hostapd.log';
const inLan = 'ip netns exec lan';

export interface SwitchPort {
  /** True if hostapd has authenticated the NIC. */
  authorized: boolean;
  /** True if the port forwards frames from the NIC's MAC. */
  open: boolean;
  /** Number of EAPOL frames of every kind that hostapd has received from the NIC. */
  frames: number;
  /** Number of received frames that began an authentication. */
  starts: number;
  /** Number of received frames that ended an authentication. */
  logoffs: number;
  /** Number of times that the port lost its link, after which a real switch requires a new authentication. */
  linkLosses: number;
  /** Messages of hostapd about the NIC in this boot, without times. */
  said: string[];
}

/** Returns the present state of the switch port. */
export async function switchPort(node: TestNode): Promise<SwitchPort> {
  const text = await node.text(`set -e
    ${inLan} hostapd_cli -p /run/testnode/hostapd -i peth0 sta ${nicMac}
    echo linkLosses=$(${inLan} cat /sys/class/net/peth0/carrier_down_count)
    echo entries=$(${inLan} bridge fdb show dev peth0 | grep -c '^${nicMac} .*static' || true)`);
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  return {
    authorized: value('flags').includes('[AUTHORIZED]'),
    open: Number(value('entries')) > 0,
    frames: Number(value('dot1xAuthEapolFramesRx')),
    starts: Number(value('dot1xAuthEapolStartFramesRx')),
    logoffs: Number(value('dot1xAuthEapolLogoffFramesRx')),
    linkLosses: Number(value('linkLosses')),
    said: saidOf((await node.read(log)) ?? ''),
  };
}

/** Returns the messages of hostapd between two states of the port. */
export function saidSince(before: SwitchPort, after: SwitchPort): string[] {
  return after.said.slice(before.said.length);
}

/** Returns the number of messages with a prefix. */
export function countOf(said: readonly string[], text: string): number {
  return said.filter((line) => line.startsWith(text)).length;
}

function saidOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const said = line.includes(nicMac) ? /peth0: (.*)$/.exec(line)?.[1] : undefined;
    return said === undefined ? [] : [said.replace(`STA ${nicMac} `, '').replace(` ${nicMac}`, '')];
  });
}
