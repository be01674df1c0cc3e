// Removal of the connections of a server that no longer serves: at once, and again when ovn-controller has reported
// that its flows no longer lead there.
import t from 'tap';
import type { ServedConnections } from '../../../../../agent/overlay/services/datagram-services.ts';
import { createLostConnections } from '../../../../../agent/run/overlay/daemon/lost-connections.ts';

function connections(server: string): ServedConnections {
  const at = { address: '10.43.0.10', port: 53 };
  return { text: `10.43.0.10:53 ${server}:8053`, at, server: { address: server, port: 8053 } };
}
const [far, near] = [connections('10.42.0.9'), connections('10.42.1.9')];

/** Records the effects, and lets a test wait for one of them. */
function recorder() {
  const done: string[] = [];
  const serving = new Set<string>();
  let look = (): void => undefined;
  const note = (what: string): Promise<void> => {
    done.push(what);
    look();
    return Promise.resolve();
  };
  const lost = createLostConnections({
    isServing: ({ text }) => serving.has(text),
    forget: ({ server }) => note(server.address),
    awaitRevalidation: () => note('revalidated'),
  });
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (done.length >= count) resolve();
      };
      look();
    });
  return { lost, done, serving, until };
}

t.test("connections are removed at once, and again after ovn-controller's answer", async (t) => {
  const { lost, done, until } = recorder();
  lost.lose([near], 7);
  await until(1);
  lost.reported(6);
  lost.lose([far], 8);
  await until(2);
  t.strictSame(done, ['10.42.1.9', '10.42.0.9'], 'an answer to an earlier request proves nothing');
  lost.reported(8);
  await until(5);
  t.strictSame(done.slice(2), ['revalidated', '10.42.1.9', '10.42.0.9'], 'all servers share one wait');
  lost.reported(9);
  lost.lose([far], 10);
  await until(6);
  t.strictSame(done.slice(5), ['10.42.0.9'], 'a second answer has no effect');
  lost.close();
});

t.test('a server that serves again keeps its connections', async (t) => {
  const { lost, done, serving, until } = recorder();
  lost.lose([near, far], 7);
  await until(2);
  serving.add(near.text);
  lost.reported(7);
  await until(4);
  t.strictSame(done.slice(2), ['revalidated', '10.42.0.9']);
  lost.close();
});

t.test('no connections are removed after the close', async (t) => {
  const { lost, done } = recorder();
  lost.lose([near], null);
  lost.close();
  lost.reported(7);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.strictSame(done, []);
});
