// Flows of a node's bridges as events: a test waits until one is there, however slow the machine is.
import type { Host } from './hosts.ts';

/** Only a flow that never comes meets it. */
const limitMs = 100_000;

/** Settles when ovs-vswitchd has a flow on a bridge whose match is this one, and fails if none comes (ovs-ofctl(8), monitor). */
export async function flowAppears(host: Host, bridge: string, match: RegExp): Promise<void> {
  // Flows that are there already are printed on standard output, and later ones on standard error.
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
