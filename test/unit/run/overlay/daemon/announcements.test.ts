// Number of announcements of an address, and repetition of frames that could not be sent.
import t from 'tap';
import { AgentError } from '../../../../../agent/errors.ts';
import { createAnnouncements } from '../../../../../agent/run/overlay/daemon/announcements.ts';

const address = '192.0.2.200';

/** Records the addresses that are sent; `after(n)` settles when n rounds were sent. */
function recorder(fails: () => boolean = () => false) {
  const sent: string[][] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  return {
    sent,
    send: (addresses: readonly string[]): Promise<void> => {
      if (fails()) return Promise.reject(new AgentError('proof-failed', 'no port'));
      sent.push([...addresses]);
      for (const one of waiting) if (sent.length >= one.count) one.resolve();
      return Promise.resolve();
    },
    after: (count: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (sent.length >= count) resolve();
      }),
  };
}

t.test('an address is announced three times, and then no more', async (t) => {
  const { sent, send, after } = recorder();
  const announcements = createAnnouncements(send);
  announcements.know([address]);
  await after(3);
  announcements.know([address]);
  announcements.again();
  announcements.know([]);
  announcements.know(['192.0.2.201']);
  await after(6);
  t.strictSame(sent, [[address], [address], [address], ['192.0.2.201'], ['192.0.2.201'], ['192.0.2.201']]);
  announcements.close();
});

t.test('an address that returns is announced again', async (t) => {
  const { sent, send, after } = recorder();
  const announcements = createAnnouncements(send);
  announcements.know([address]);
  await after(3);
  announcements.know([]);
  announcements.know([address]);
  await after(6);
  t.equal(sent.length, 6);
  announcements.close();
});

t.test('an unsent announcement is sent when the gateway may be connected', async (t) => {
  let isDown = true;
  const { sent, send, after } = recorder(() => isDown);
  const announcements = createAnnouncements(send);
  announcements.know([address]);
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(sent, []);
  isDown = false;
  announcements.again();
  await after(3);
  t.strictSame(sent[0], [address]);
  announcements.close();
});
