import type { BondPort, BondState } from '../../../model/bond-state.ts';

/**
 * Names of the bonding modes, by the description that the driver prints (bond_mode_name and bond_info_show_master in
 * drivers/net/bonding).
 */
const modes: Readonly<Record<string, string>> = {
  'load balancing (round-robin)': 'balance-rr',
  'fault-tolerance (active-backup)': 'active-backup',
  'load balancing (xor)': 'balance-xor',
  'fault-tolerance (broadcast)': 'broadcast',
  'IEEE 802.3ad Dynamic link aggregation': '802.3ad',
  'transmit load balancing': 'balance-tlb',
  'adaptive load balancing': 'balance-alb',
};

/** Value of arp_missed_max before Linux 5.17, whose bonding driver has no such setting and does not print the value. */
const usualMissedMax = 2;

/**
 * Parses the text of a file in /proc/net/bonding. Returns null if the text does not describe a bond, for example
 * because the bond is being removed.
 */
export function parseBond(text: string): BondState | null {
  const [master = '', ...ports] = text.split(/^Slave Interface: /m);
  const mode = valueIn(master, 'Bonding Mode')?.replace(/ \(fail_over_mac .*\)$/, '');
  if (mode === undefined) return null;
  const intervalMs = Number(valueIn(master, 'ARP Polling Interval \\(ms\\)') ?? 0);
  const targets = [...master.matchAll(/^(?:ARP IP|NS IPv6) target\/s \(.*? form\): ?(.*)$/gm)].flatMap(
    ([, list = '']) => list.split(/[\s,]+/).filter((word) => word !== ''),
  );
  const active = valueIn(master, 'Currently Active Slave') ?? 'None';
  return {
    mode: modes[mode] ?? mode,
    arpMonitor:
      intervalMs === 0
        ? null
        : { intervalMs, missedMax: Number(valueIn(master, 'ARP Missed Max') ?? usualMissedMax), targets },
    activePort: active === 'None' ? null : active,
    ports: ports.map(parsePort),
  };
}

function parsePort(text: string): BondPort {
  return {
    name: text.slice(0, text.indexOf('\n')).trim(),
    isWorking: valueIn(text, 'MII Status') === 'up',
    failures: Number(valueIn(text, 'Link Failure Count') ?? 0),
  };
}

/** Returns the value of a line `name: value`; undefined if no such line exists. */
function valueIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1]?.trim();
}
