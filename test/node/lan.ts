// Variables of a LAN file (lan/*.sh), as a test needs them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { sourceDir } from './source.ts';

export interface Lan {
  /** Text of the LAN file, with the text that the test has appended. */
  script: string;
  nodeIf: string;
  /** Interface that must be a port of br-ex at the end. */
  uplink: string;
  ip4: string;
  ip6: string;
  gateway4: string;
  gateway6: string;
  /** Addresses of the node that are pinged from the LAN. */
  pinged: string[];
  /** Pinged addresses that must answer before a test begins: all but those of EXTRA_IP. */
  awaited: string[];
  /** Interval of the pings. */
  pingMs: number;
  expect: 'br-ex' | 'fail' | 'unchanged';
  readyLimitMs: number;
}

/** Reads a LAN by name; `append` is shell text that overrides its variables or functions. */
export function readLan(name: string, append = ''): Lan {
  const file = path.join(sourceDir, 'lan', `${name}.sh`);
  if (!fs.existsSync(file)) throw new Error(`test node: no LAN named ${name}; there are ${lanNames().join(', ')}`);
  const script = `${fs.readFileSync(file, 'utf8')}\n${append}\n`;
  const names = ['NODE_IF', 'PHYS', 'IP4', 'IP6', 'GW4', 'GW6', 'EXTRA_IP', 'EXPECT', 'READY', 'PING_MS'];
  const print = names.map((variable) => `"$${variable}"`).join(' ');
  const lib = path.join(sourceDir, 'guest/lib.sh');
  const output = execFileSync('bash', ['-c', `. "$0"; BOOT=1; eval "$1"; printf '%s\\n' ${print}`, lib, script], {
    encoding: 'utf8',
  });
  const [
    nodeIf = '',
    phys = '',
    ip4 = '',
    ip6 = '',
    gateway4 = '',
    gateway6 = '',
    extra = '',
    expect = '',
    ready = '',
    pingMs = '',
  ] = output.split('\n');
  const awaited = [ip4, ip6].filter(Boolean);
  return {
    script,
    nodeIf,
    uplink: phys || nodeIf,
    ip4,
    ip6,
    gateway4,
    gateway6,
    pinged: [...awaited, ...extra.split(' ').filter(Boolean)],
    awaited,
    expect: expect as Lan['expect'],
    pingMs: Number(pingMs),
    readyLimitMs: Number(ready) * 1000,
  };
}

/** Text that is appended to a LAN if silences are measured. */
export const fineGrained = 'PING_MS=10';

/** Returns the names of all LANs, sorted. */
export function lanNames(): string[] {
  const files = fs.readdirSync(path.join(sourceDir, 'lan')).filter((file) => file.endsWith('.sh'));
  return files.map((file) => file.slice(0, -3)).sort();
}
