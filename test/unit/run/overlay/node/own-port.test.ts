// A member that was taken out of the cluster on the central node.

import t from 'tap';
import { tunnelSentences } from '../../../../../agent/run/overlay/drift/overlay-notices.ts';
import { readMembership, refuseWithoutPort } from '../../../../../agent/run/overlay/node/own-port.ts';
import { withAnswers } from '../../../../../agent/run/overlay/node/tunnel-answers.ts';
import { overlayPlaces } from '../../../../../agent/run/overlay/record/places.ts';
import { failure } from '../../../failure.ts';
import { modern, nodeOf } from '../../../overlay/cluster.ts';
import { type Script, startFakeServer } from '../../../ovsdb/fake-server.ts';

t.test('the bundle of a removed member is refused with the cause', (t) => {
  t.doesNotThrow(() => refuseWithoutPort('n2', true));
  t.throws(
    () => refuseWithoutPort('n2', false),
    failure('bundle-unusable', { message: /^the central node has no port for n2: it was taken out of the cluster/ }),
  );
  t.end();
});

t.test('the central node is asked whether a node is a member, and a failure of this query is reported', async (t) => {
  const places = { ...overlayPlaces, ovnRuns: [], pki: t.testdir({}) };
  const member = { format: 1, layout: modern, node: nodeOf(2), members: null } as const;
  const asked = async (script: Script, limitMs = 60_000): Promise<unknown> => {
    const server = await startFakeServer(script);
    t.teardown(() => server.stop());
    return readMembership({ ...member, southbound: [`unix:${server.path}`] }, places, limitMs);
  };
  t.strictSame(await asked((message, peer) => peer.reply(message, [{}])), { state: 'member' });
  const none = [{ error: 'timed out', details: '"wait" timed out' }];
  t.strictSame(await asked((message, peer) => peer.reply(message, none)), { state: 'removed' });
  t.match(await asked(() => undefined, 200), { state: 'unknown', why: /^unix:\S+ did not answer within 0\.2 s$/ });
  t.match(
    await asked((_, peer) => peer.socket.destroy()),
    { state: 'unknown', why: /./ },
    'a server that closes the connection leaves the state unknown',
  );
  t.match(
    await readMembership({ ...member, southbound: ['unix:/no/such.sock'] }, places),
    { state: 'unknown', why: /could not connect to unix:\/no\/such\.sock/ },
    'a server that does not listen leaves the state unknown',
  );
  const tls = { ...member, southbound: ['ssl:192.0.2.11:6642'] };
  t.match(await readMembership(tls, places), { state: 'unknown' }, 'missing certificates leave the state unknown');
  t.strictSame(
    [
      await readMembership({ ...tls, members: [nodeOf(2)] }, places),
      await readMembership({ ...tls, node: { ...nodeOf(2), subnets: [] } }, places),
    ],
    [{ state: 'not-applicable' }, { state: 'not-applicable' }],
    'a central node, and a node without pod subnets',
  );
});

t.test('tunnels whose other end does not answer', async (t) => {
  const tunnel = { interface: 'ovn-n2-0', type: 'geneve', chassis: 'n2-id', remoteAddress: '192.0.2.12', fault: null };
  const members = [{ name: 'n2', systemId: 'n2-id' }];
  const sentences = (...tunnels: readonly (typeof tunnel & { answers: boolean | null })[]): readonly string[] =>
    tunnelSentences(tunnels, members);
  t.strictSame(sentences({ ...tunnel, answers: false }), ['n2 does not answer at 192.0.2.12, where its tunnel ends']);
  t.strictSame(sentences({ ...tunnel, answers: true }, { ...tunnel, answers: null }), []);
  t.match(
    tunnelSentences([{ ...tunnel, answers: false }], []),
    [/^chassis n2-id does not answer at/],
    'a member names the chassis that does not answer',
  );
  const down = { ...tunnel, fault: 'no carrier' };
  t.match(tunnelSentences([{ ...down, answers: null }], members), ['the tunnel to n2 is down: no carrier']);
  const [asked] = await withAnswers([down], ['192.0.2.11']);
  t.equal(asked?.answers, null, 'a port that is down is not pinged');
});
