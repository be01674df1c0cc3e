// Changes of addresses and default routes of a node during commands, as the kernel reported them.
import { type Moment, moments, presentNews } from './kernel-news.ts';
import type { TestNode } from './node.ts';

const news = '/run/kernel-news';

/** State before the recording, and the state after each change. */
export interface Recorded {
  readonly start: Moment | undefined;
  readonly later: readonly Moment[];
}

/**
 * Shell text that adds an address to lo, removes the address, and waits until the monitor has written both changes. The
 * monitor has then also written all earlier changes.
 */
const monitorHasWritten = (mark: string): string =>
  `until grep -q ${mark} ${news}; do ip address add ${mark}/32 dev lo; ip address delete ${mark}/32 dev lo; sleep 0.1; done`;

/** Starts to record the kernel's changes of addresses and default routes on the node. */
export async function recordNews(node: TestNode): Promise<void> {
  await node.text(`: > ${news}; stdbuf -oL ip -o monitor label address route > ${news} 2>&1 < /dev/null &
    echo $! > ${news}.pid; ${monitorHasWritten('127.0.0.77')}; { ${presentNews}; } > ${news}.present`);
}

/** Ends the recording, and returns the recorded states. */
export async function recordedNews(node: TestNode): Promise<Recorded> {
  const recorded = await node.text(
    `${monitorHasWritten('127.0.0.78')}; kill $(cat ${news}.pid); cat ${news}.present; echo [ADDR]; cat ${news}`,
  );
  const [before = '', after = ''] = recorded.split('\n[ADDR]\n');
  const start = moments(before);
  return { start: start.at(-1), later: moments(`${before}\n${after}`).slice(start.length) };
}

/**
 * Returns the kernel's messages after which an address family that had a default route at the start of the recording
 * had none.
 */
export function lostDefaultRoutes({ start, later }: Recorded): readonly string[] {
  const families = new Set(start?.defaults.map(({ family }) => family));
  return [...families].flatMap((family) =>
    later.filter(({ defaults }) => !defaults.some((route) => route.family === family)).map((moment) => moment.news),
  );
}
