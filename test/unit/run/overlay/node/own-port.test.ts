// A member that was taken out of the cluster on the central node.

import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import t from 'tap';
import type { AgentError } from '../../../../../agent/errors.ts';
import { tunnelSentences } from '../../../../../agent/run/overlay/drift/overlay-notices.ts';
import { withoutBundle } from '../../../../../agent/run/overlay/membership/issue.ts';
import { refuseWithoutPort, waitForPort } from '../../../../../agent/run/overlay/node/own-port.ts';
import { withAnswers } from '../../../../../agent/run/overlay/node/tunnel-answers.ts';
import { overlayPlaces } from '../../../../../agent/run/overlay/record/places.ts';
import { errorText } from '../../../../../agent/view/error-view.ts';
import { plain } from '../../../../../agent/view/style.ts';
import { failure } from '../../../failure.ts';
import { startFakeServer } from '../../../ovsdb/fake-server.ts';

t.test('the bundle of a node that was taken out is refused with that cause', (t) => {
  t.doesNotThrow(() => refuseWithoutPort('n2', true));
  t.throws(
    () => refuseWithoutPort('n2', false),
    failure('bundle-unusable', { message: /^the central node has no port for n2: it was taken out of the cluster/ }),
  );
  t.end();
});

t.test('Ctrl-C while `pki issue` waits for the port names the member and its missing bundle', async (t) => {
  // The server answers no request, as if ovn-northd had not copied the port yet.
  const server = await startFakeServer(() => process.emit('SIGINT'));
  t.teardown(() => server.stop());
  const run = dirname(server.path);
  symlinkSync(server.path, `${run}/ovnsb_db.sock`);
  const places = { ...overlayPlaces, ovnRuns: [run] };
  const shown = (keepsKey: boolean): Promise<string> =>
    waitForPort('n2', places, () => undefined, withoutBundle('n2', keepsKey)).then(String, (error: AgentError) =>
      errorText(error, plain),
    );
  const end = '; or remove the member: microshift-net overlay leave --node n2';
  const state =
    'n2 is a member of the cluster, and its bundle is not written; write its bundle: microshift-net overlay';
  t.equal(await shown(false), `microshift-net: stopped by SIGINT; ${state} pki renew n2${end}`);
  t.equal(await shown(true), `microshift-net: stopped by SIGINT; ${state} pki renew n2 --request FILE${end}`);
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
  t.equal(asked?.answers, null, 'a port that is down is not pinged');
});
