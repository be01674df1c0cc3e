// A member that was taken out of the cluster on the central node.
import t from 'tap';
import { tunnelSentences } from '../../../../../agent/run/overlay/drift/overlay-notices.ts';
import { refuseWithoutPort } from '../../../../../agent/run/overlay/node/own-port.ts';
import { withAnswers } from '../../../../../agent/run/overlay/node/tunnel-answers.ts';
import { failure } from '../../../failure.ts';

t.test('the bundle of a node that was taken out is refused with that cause', (t) => {
  t.doesNotThrow(() => refuseWithoutPort('n2', true));
  t.throws(
    () => refuseWithoutPort('n2', false),
    failure('bundle-unusable', { message: /^the central node has no port for n2: it was taken out of the cluster/ }),
  );
  t.end();
});

t.test('tunnels whose other end does not answer', async (t) => {
  const tunnel = { interface: 'ovn-n2-0', type: 'geneve', chassis: 'n2-id', remoteAddress: '192.0.2.12', fault: null };
  const members = [{ name: 'n2', systemId: 'n2-id' }];
  const sentences = (...tunnels: readonly (typeof tunnel & { answers: boolean | null })[]): readonly string[] =>
    tunnelSentences(tunnels, members);
  t.strictSame(sentences({ ...tunnel, answers: false }), ['n2 does not answer at 192.0.2.12, where its tunnel ends']);
  t.strictSame(sentences({ ...tunnel, answers: true }, { ...tunnel, answers: null }), []);
  t.match(tunnelSentences([{ ...tunnel, answers: false }], []), [/^chassis n2-id does not answer at/], 'on a member');
  const down = { ...tunnel, fault: 'no carrier' };
  t.match(tunnelSentences([{ ...down, answers: null }], members), ['the tunnel to n2 is down: no carrier']);
  const [asked] = await withAnswers([down], ['192.0.2.11']);
  t.equal(asked?.answers, null, 'one that is down is not asked');
});
