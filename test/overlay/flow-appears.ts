// Flows of a node's bridges as events: a test waits until a flow appears, on a machine of any speed.
import type { Host } from './hosts.ts';

/** Limit that is reached only if the flow never appears. */
const limitMs = 100_000;

/**
 * Waits until ovs-vswitchd has a flow with this match on a bridge, and fails if none appears (ovs-ofctl(8), monitor).
 */
export function flowAppears(host: Host, bridge: string, match: RegExp): Promise<void> {
  return untilFlows(host, bridge, `no flow ${match}`, (said) => match.test(said));
}

/** Waits until a bridge has no flow with this match, and fails if one stays. */
export function flowDisappears(host: Host, bridge: string, match: RegExp): Promise<void> {
  const isGone = (): boolean => !match.test(host.must('ovs-ofctl', '-O', 'OpenFlow14', 'dump-flows', bridge));
  return untilFlows(host, bridge, `a flow ${match}`, isGone);
}

/** Waits until `isSo` is true for the monitor's output; calls `isSo` after every change of the bridge's flows. */
async function untilFlows(host: Host, bridge: string, left: string, isSo: (said: string) => boolean): Promise<void> {
  // Existing flows are printed on standard output, and later ones on standard error.
  const monitor = host.start('stdbuf', '-oL', 'ovs-ofctl', 'monitor', bridge, 'watch:');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${host.name}: ${bridge} has ${left}:\n${said}`)), limitMs);
    for (const stream of [monitor.stdout, monitor.stderr])
      stream?.on('data', (text: Buffer) => {
        said += text;
        if (!isSo(said)) return;
        clearTimeout(late);
        resolve();
      });
  }).finally(() => monitor.kill());
}
