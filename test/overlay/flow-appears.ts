// Flows of a node's bridges as events: a test waits until a flow appears, however slow the machine is.
import type { Host } from './hosts.ts';

/** Limit that is reached only if the flow never appears. */
const limitMs = 100_000;

/** Waits until ovs-vswitchd has a flow with this match on a bridge, and fails if none appears (ovs-ofctl(8), monitor). */
export async function flowAppears(host: Host, bridge: string, match: RegExp): Promise<void> {
  // Existing flows are printed on standard output, and later ones on standard error.
  const monitor = host.start('stdbuf', '-oL', 'ovs-ofctl', 'monitor', bridge, 'watch:');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${host.name}: ${bridge} has no flow ${match}:\n${said}`)), limitMs);
    for (const stream of [monitor.stdout, monitor.stderr])
      stream?.on('data', (text: Buffer) => {
        said += text;
        if (!match.test(said)) return;
        clearTimeout(late);
        resolve();
      });
  }).finally(() => monitor.kill());
}
