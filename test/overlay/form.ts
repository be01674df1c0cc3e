import type { Test } from 'tap';
import { type Host, startCentral, startController } from './hosts.ts';

/** Makes a cluster of these nodes, the first of which is the central one. */
export function form(t: Test, [central, ...others]: readonly [Host, ...Host[]]): void {
  startCentral(central);
  for (const host of [central, ...others]) startController(host);
  t.match(central.agent('overlay', 'init'), { status: 0 });
  for (const host of others) {
    const { stdout } = central.agent('overlay', 'pki', 'issue', host.name, '--system-id', `${host.name}-of-the-test`);
    t.match(host.agentWith(stdout, 'overlay', 'join', '-'), { status: 0 });
  }
}
