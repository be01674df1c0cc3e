// `overlay pki issue` that a signal or a failure ends: the message says whether the node is a member.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import t, { type Test } from 'tap';
import { AgentError } from '../../../../../agent/errors.ts';
import type { OverlayBundle } from '../../../../../agent/model/overlay-record.ts';
import { admitNode } from '../../../../../agent/run/overlay/membership/admit.ts';
import { type OverlayPlaces, overlayPlaces } from '../../../../../agent/run/overlay/record/places.ts';
import { writeRecord } from '../../../../../agent/run/overlay/record/record.ts';
import { errorText } from '../../../../../agent/view/error-view.ts';
import { plain } from '../../../../../agent/view/style.ts';
import { modern, nodeOf } from '../../../overlay/cluster.ts';
import { type Script, startFakeServer } from '../../../ovsdb/fake-server.ts';

const silent = (): void => undefined;
const southbound = ['ssl:192.0.2.11:6642'];
const bundle: OverlayBundle = {
  format: 1,
  layout: modern,
  southbound,
  node: nodeOf(2),
  pem: { key: null, certificate: 'CERTIFICATE', authority: 'AUTHORITY' },
};

/** Returns the paths of a central node's files and sockets; one scripted server stands for both databases. */
async function centralNode(t: Test, script: Script): Promise<OverlayPlaces> {
  const server = await startFakeServer(script);
  t.teardown(() => server.stop());
  const run = dirname(server.path);
  for (const name of ['ovnnb_db.sock', 'ovnsb_db.sock']) symlinkSync(server.path, `${run}/${name}`);
  const folder = t.testdir({});
  const places = { ...overlayPlaces, ovsRun: run, ovnRuns: [run], record: `${folder}/overlay.json`, pki: folder };
  writeRecord(places.record, { format: 1, layout: modern, southbound, node: nodeOf(1), members: [nodeOf(1)] });
  return places;
}

interface Admission {
  readonly request?: string | null;
  /** Function that runs the admission under the lock, or that returns a bundle instead of the admission. */
  readonly locked?: Parameters<typeof admitNode>[2];
  readonly giveOut?: (bundle: OverlayBundle) => void;
}

/** Returns the text of the error with which `pki issue` ends. */
function endOf(
  places: OverlayPlaces,
  { request = null, locked = (work) => work(), giveOut }: Admission,
): Promise<string> {
  const options = { name: 'n2', systemId: 'n2-id', days: 1, granted: { addresses: [], subnets: [] }, request };
  return admitNode(options, places, locked, giveOut ?? silent, silent).then(
    () => 'no error',
    (error: AgentError) => errorText(error, plain),
  );
}

const admitted: NonNullable<Admission['locked']> = async () => bundle as never;
const isMember =
  'n2 is a member of the cluster, and its bundle is not written; write its bundle: microshift-net overlay';
const orRemove = '; or remove the member: microshift-net overlay leave --node n2';

t.test('Ctrl-C before the admission changes nothing', async (t) => {
  const places = await centralNode(t, () => process.emit('SIGINT'));
  const before = readFileSync(places.record, 'utf8');
  const listeners = process.listenerCount('SIGINT');
  t.equal(
    await endOf(places, {}),
    'microshift-net: stopped by SIGINT; nothing was changed, and no bundle is written; run it again if its change is still wanted',
  );
  t.equal(readFileSync(places.record, 'utf8'), before, 'the record is unchanged');
  t.notOk(existsSync(`${places.pki}/issued`), 'no certificate is issued');
  t.equal(process.listenerCount('SIGINT'), listeners);
});

t.test('Ctrl-C during the wait for the lock has one sentence', async (t) => {
  const places = await centralNode(t, silent);
  const locked = async (): Promise<never> => {
    process.emit('SIGINT');
    throw new AgentError('interrupted', 'stopped by SIGINT; this run has not changed the node');
  };
  t.equal(await endOf(places, { locked }), 'microshift-net: stopped by SIGINT; this run has not changed the node');
});

t.test('Ctrl-C during the wait for the port names the member and its missing bundle', async (t) => {
  // The server does not answer, as if ovn-northd had not copied the port yet.
  const places = await centralNode(t, () => process.emit('SIGINT'));
  const given: unknown[] = [];
  const giveOut = (one: OverlayBundle): void => void given.push(one);
  t.equal(
    await endOf(places, { locked: admitted, giveOut }),
    `microshift-net: stopped by SIGINT; ${isMember} pki renew n2${orRemove}`,
  );
  t.equal(
    await endOf(places, { locked: admitted, giveOut, request: 'REQUEST' }),
    `microshift-net: stopped by SIGINT; ${isMember} pki renew n2 --request FILE${orRemove}`,
  );
  t.strictSame(given, [], 'the bundle is not printed');
});

t.test('after a signal before the end of the admission, no bundle is printed', async (t) => {
  const places = await centralNode(t, silent);
  const locked: NonNullable<Admission['locked']> = async () => {
    process.emit('SIGTERM');
    return bundle as never;
  };
  t.equal(await endOf(places, { locked }), `microshift-net: stopped by SIGTERM; ${isMember} pki renew n2${orRemove}`);
});

t.test('a bundle that cannot be written', async (t) => {
  const places = await centralNode(t, (message, peer) => peer.reply(message, [{}]));
  const giveOut = (): void => {
    throw new AgentError('state-unwritable', 'bundle.txt cannot be written: no space is left on the device (ENOSPC)');
  };
  t.equal(
    await endOf(places, { locked: admitted, giveOut }),
    `microshift-net: bundle.txt cannot be written: no space is left on the device (ENOSPC); ${isMember} pki renew n2${orRemove}`,
  );
});
