// Order in which withheld addresses are written, and repetition of a failed write.
import t from 'tap';
import { AgentError } from '../../../../../agent/errors.ts';
import { createWithheld } from '../../../../../agent/run/overlay/daemon/withheld.ts';

/** Returns withheld addresses whose writes end when the test calls `end`. */
function played() {
  const begun: string[] = [];
  let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;
  const withheld = createWithheld((addresses) => {
    begun.push(addresses.join(' '));
    return new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
  });
  const end = async (error?: Error): Promise<void> => {
    if (error === undefined) settle?.resolve();
    else settle?.reject(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { withheld, begun, end };
}

t.test('the newest set of addresses is written last, and an unchanged set is not written again', async (t) => {
  const { withheld, begun, end } = played();
  withheld.know(['192.0.2.200']);
  withheld.know(['192.0.2.201']);
  withheld.know([]);
  t.strictSame(begun, ['192.0.2.200'], 'a second write waits for the first');
  await end();
  t.strictSame(begun, ['192.0.2.200', ''], 'sets that were replaced meanwhile are not written');
  await end();
  withheld.know([]);
  withheld.again();
  t.equal(begun.length, 2, 'an equal set is not written');
  await withheld.close();
});

t.test('a failed write is repeated when asked, also after the set has returned to the former one', async (t) => {
  const { withheld, begun, end } = played();
  withheld.know([]);
  await end();
  withheld.know(['192.0.2.200']);
  await end(new AgentError('proof-failed', 'no port'));
  t.strictSame(begun, ['', '192.0.2.200']);
  withheld.again();
  t.strictSame(begun, ['', '192.0.2.200', '192.0.2.200']);
  await end(new AgentError('proof-failed', 'no port'));
  withheld.know([]);
  t.equal(begun.at(-1), '', 'the bridge may have the flows of the write that failed');
  await end();
  await withheld.close();
});

t.test('no addresses are written after the close', async (t) => {
  const { withheld, begun, end } = played();
  withheld.know(['192.0.2.200']);
  const closed = withheld.close();
  withheld.know([]);
  await end();
  await closed;
  t.strictSame(begun, ['192.0.2.200']);
});
