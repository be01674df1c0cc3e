// Faults between two nodes: each ends with a clear error and an unchanged node, or the next run repairs it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { issueCertificate } from '../../agent/drivers/openssl/certificates.ts';
import { initAuthority, readAuthority } from '../../agent/run/overlay/certificates/authority.ts';
import { missingForHosts, restartController, startCentral, startController, startLan } from './hosts.ts';
import { stateOf } from './overlay-state.ts';

const skip = missingForHosts() ?? false;
t.test('joining goes wrong', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  startCentral(n1);

  const untouched = stateOf(n1);
  t.match(
    n1.agent('overlay', 'init'),
    { status: 5, stderr: /rolling back/ },
    'init fails without ovn-controller, which no systemd can start',
  );
  t.equal(stateOf(n1), untouched, 'the central node is as before');
  t.equal(n1.must('ovn-nbctl', 'show'), '');
  t.equal(n1.must('ovn-sbctl', 'get-connection'), '');
  for (const host of [n1, n2]) startController(host);
  t.match(n1.agent('overlay', 'init'), { status: 0 });

  const issued = n1.agent('overlay', 'pki', 'issue', 'n2', '--system-id', 'n2-of-the-test');
  const bundle = JSON.parse(issued.stdout) as { pem: object; southbound: string[] };
  const before = stateOf(n2);
  const refused = (changed: object, message: RegExp, status: number): void => {
    const text = JSON.stringify({ ...bundle, ...changed });
    t.match(n2.agentWith(text, 'overlay', 'join', '-'), { status, stderr: message }, String(message));
    t.equal(stateOf(n2), before, 'the node is as before');
  };
  const folder = mkdtempSync(join(tmpdir(), 'overlay-pki-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  await initAuthority(folder);
  const stranger = readAuthority(folder);
  const pair = await issueCertificate(folder, stranger, 'n2-of-the-test', 'client', 1);
  refused(
    { pem: { ...pair, authority: stranger.certificate } },
    /not signed by the authority that this node\s+trusts/,
    2,
  );
  refused({ pem: { ...bundle.pem, key: pair.key } }, /private key is not that of the certificate/, 2);
  refused({ southbound: ['ssl:192.0.2.11:1'] }, /could not connect to ssl:192\.0\.2\.11:1/, 5);

  n2.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-remote=tcp:198.51.100.1:6642');
  t.match(n2.agentWith(issued.stdout, 'overlay', 'join', '-'), {
    status: 2,
    stderr: /works for tcp:198\.51\.100\.1:6642 already/,
  });
  n2.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-remote');

  n2.write('/tmp/bundle', issued.stdout);
  t.match(n2.agent('overlay', 'join', '/tmp/bundle'), { status: 0 }, 'n2 joins after the refused joins');
  t.match(n2.agent('overlay', 'verify'), { status: 0 });

  // A program in this network namespace reaches Open vSwitch, whose sockets are files, but not the central node.
  await restartController(n2, ['unshare', '-n']);
  t.match(
    n2.agent('overlay', 'apply'),
    {
      status: 1,
      stderr: /ovn-controller of n2 has not connected to the southbound database at ssl:192\.0\.2\.11:6642/,
    },
    'apply does not succeed without ovn-controller, although its chassis is registered',
  );
  t.match(n1.must('ovn-sbctl', '--bare', '--columns=name', 'list', 'Chassis'), /^n2-of-the-test$/m);
  await restartController(n2);
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
});
