// Certificates during the life of a cluster: keys that never leave their node, automatic renewal, and an authority that
// is replaced while packets flow. Requests are rows that members write, and the ovsdb-server and ovn-controller of a
// release use the certificates, so the whole life is tested with each release.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { issueCertificate } from '../../agent/drivers/openssl/certificates.ts';
import { certificatesIn } from '../../agent/drivers/openssl/read-certificate.ts';
import { startDaemon } from './daemon.ts';
import { type Host, missingForHosts, restartController, startCentral, startController, startLan } from './hosts.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { ping, pingScript } from './ping.ts';

const skip = missingForHosts() ?? false;
const pki = '/etc/microshift-net/pki';
/** Limit for a report of a daemon, far beyond the need of a busy machine. */
const limitMs = 120_000;
const southbound = 'ssl:192.0.2.11:6642';

/** Records the output of a daemon, and lets a test wait for words in it. */
function hearing() {
  let said = '';
  const waiting = new Set<() => void>();
  return {
    tell: (text: string): void => {
      said += text;
      for (const look of waiting) look();
      process.stderr.write(text);
    },
    /** Settles as soon as the whole output contains these words `times` times. */
    heard: (words: RegExp, times = 1): Promise<void> =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no daemon has printed ${words}`)), limitMs);
        const look = (): void => {
          if ([...said.matchAll(new RegExp(words, 'g'))].length < times) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

function read(host: Host, file: string): string {
  return readFileSync(host.path(`${pki}/${file}`), 'utf8');
}

/** Returns true if the southbound database accepts a client with this key pair. */
function isTaken(host: Host, pem: string, authority = `${pki}/ca.crt`): boolean {
  host.write('/root/shown.pem', pem);
  const keys = ['-p', '/root/shown.pem', '-c', '/root/shown.pem', '-C', authority];
  return host.run(['ovsdb-client', '-t', '10', ...keys, 'list-dbs', southbound]).status === 0;
}

/** Joins with a key that is made on the node, by the command line that `init` prints. */
function joinByRequest(t: Test, central: Host, host: Host): void {
  const request = host.agent('overlay', 'pki', 'request').stdout;
  t.notMatch(request, /PRIVATE/, 'a request is not secret');
  t.equal(host.agent('overlay', 'pki', 'request').stdout, request, 'a second request is the same as the first');
  const words = ['issue', host.name, '--system-id', `${host.name}-of-the-test`, '--request', '-'];
  const bundle = central.agentWith(request, 'overlay', 'pki', ...words).stdout;
  t.match(JSON.parse(bundle), { pem: { key: null } }, 'the answer has no key');
  t.match(host.agentWith(bundle, 'overlay', 'join', '-'), { status: 0 });
  t.equal(host.run(['test', '-e', `${pki}/request.pem`]).status, 1, 'the node has removed its request');
}

t.test('certificates', { skip }, async (t) => {
  for (const which of ovnsHere()) await t.test(`OVN: ${which}`, (t) => certificates(t, which));
});

async function certificates(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  startCentral(n1);
  for (const host of [n1, n2, n3]) startController(host);
  const init = n1.agent('overlay', 'init');
  t.match(init.stdout, /pki request \| ssh .* --request - \| microshift-net overlay join -/);
  for (const host of [n2, n3]) joinByRequest(t, n1, host);
  t.match(n1.agentWith('nonsense', 'overlay', 'pki', 'renew', 'n2', '--request', '-'), { status: 2 });

  const [byCentral, byMember] = [hearing(), hearing()];
  const central = await startDaemon(n1, undefined, byCentral.tell);
  t.ok(ping(n1, '10.42.1.2'), 'n2 is reachable');
  const pinging = n1.start(
    'sh',
    '-c',
    'while :; do perl -e "$1" -- -w 1 10.42.1.2 > /dev/null && echo got || echo lost; sleep 0.2; done',
    'sh',
    pingScript,
  );
  let pings = '';
  pinging.stdout?.on('data', (chunk: Buffer) => {
    pings += chunk;
  });

  await t.test('renewal', async (t) => {
    // The certificate became valid a day ago and expires in 0.3 days: less than a third of its validity is left, so its
    // renewal is due.
    const folder = t.testdir();
    const authority = { key: read(n1, 'ca.key'), certificate: read(n1, 'ca.crt') };
    const pair = await issueCertificate(folder, authority, 'n2-of-the-test', 'client', 0.3);
    n2.write(`${pki}/node.pem`, pair.key + pair.certificate);
    n1.write(`${pki}/issued/n2.crt`, pair.certificate);
    const member = await startDaemon(n2, undefined, byMember.tell);
    await byMember.heard(/this node has a new certificate/);
    const [renewed = ''] = certificatesIn(read(n2, 'node.pem'));
    t.not(renewed, pair.certificate);
    t.notMatch(read(n2, 'node.pem'), pair.key.slice(60, 120), 'the renewed certificate has another key');
    t.equal(certificatesIn(read(n1, 'issued/n2.crt'))[0], renewed);
    t.match(new X509Certificate(renewed).subject, 'CN=n2-of-the-test');
    await withdrawn(n1);
    t.equal(isTaken(n2, read(n2, 'node.pem')), true);
    t.match(n1.agent('overlay', 'verify'), { status: 0 });
    t.match(n2.agent('overlay', 'verify'), { status: 0 });
    t.equal(await member.stop(), 0);
  });

  // The agent alone decides about such a request, whichever release carries it.
  const refusal = async (t: Test): Promise<void> => {
    const before = read(n1, 'issued/n2.crt');
    t.match(n2.agent('overlay', 'pki', 'request'), { status: 0 });
    t.match(n2.agent('overlay', 'apply'), { status: 0 });
    await byCentral.heard(/certificate n2-of-the-test \(n2\) requests another one, and is valid until/);
    t.equal(read(n1, 'issued/n2.crt'), before);
    t.match(n1.agent('overlay', 'verify'), { status: 0, stdout: /Worth knowing:\s+certificate n2-of-the-test/ });
    n2.must('rm', `${pki}/request.pem`);
    t.match(n2.agent('overlay', 'apply'), { status: 0 });
  };
  if (which === ovnsHere()[0])
    await t.test('the renewal of a certificate that is not due is refused for every caller', refusal);

  await t.test('replacement of the authority', async (t) => {
    const [old2, old3] = [read(n2, 'node.pem'), read(n3, 'node.pem')];
    t.match(n1.agent('overlay', 'leave', '--node', 'n3'), { status: 0 });
    t.equal(isTaken(n3, old3), true, 'the certificate of the removed node is still accepted');
    const keys = ['-p', '/root/shown.pem', '-c', '/root/shown.pem', '-C', `${pki}/ca.crt`];
    const monitor = n3.start('ovsdb-client', ...keys, 'monitor', southbound, 'OVN_Southbound', 'SB_Global', 'nb_cfg');
    const ended = once(monitor, 'exit');
    await once(monitor.stdout as NodeJS.ReadableStream, 'data');

    t.match(n1.agent('overlay', 'pki', 'rotate', '--finish'), { status: 2, stderr: /no authority is being replaced/ });
    const begun = n1.agent('overlay', 'pki', 'rotate');
    t.match(begun, { status: 0, stdout: /Without one of it: n2\./ });
    t.match(n1.agent('overlay', 'pki', 'rotate'), { status: 2, stderr: /is being replaced already; .*: n2/ });
    t.equal(certificatesIn(read(n1, 'ca.crt')).length, 2);
    t.equal(isTaken(n2, old2), true, 'the old certificate is still accepted');
    t.match(n1.agent('overlay', 'verify'), { status: 0, stdout: /the authority is being replaced; without/ });

    const member = await startDaemon(n2, undefined, byMember.tell);
    await byCentral.heard(/the old one is not trusted any more/);
    await byMember.heard(/this node trusts other authorities of the cluster now/, 2);
    t.equal(read(n1, 'ca.crt'), read(n2, 'ca.crt'), 'both nodes trust the new authority');
    t.equal(certificatesIn(read(n2, 'ca.crt')).length, 1);
    await ended;
    t.pass('the connection of the removed node has ended');
    n3.write('/root/new-ca.crt', read(n1, 'ca.crt'));
    t.equal(
      isTaken(n3, old3, '/root/new-ca.crt'),
      false,
      'the old certificate of the removed node is no longer accepted',
    );
    t.equal(isTaken(n2, old2), false, 'the old certificate of the member is no longer accepted');
    t.equal(isTaken(n2, read(n2, 'node.pem')), true);
    await restartController(n2);
    for (const host of [n1, n2]) {
      t.match(host.agent('overlay', 'apply'), { status: 0 }, 'ovn-controller connects with the new certificate');
      t.match(host.agent('overlay', 'verify'), { status: 0 });
    }
    t.equal(await member.stop(), 0);
  });

  pinging.kill();
  t.match(pings, /got/);
  t.notMatch(pings, /lost/, 'packets have flowed all the time');
  t.equal(await central.stop(), 0);
}

/** Waits until no member requests a certificate, and the central node has removed its answer. */
async function withdrawn(central: Host): Promise<void> {
  const isPending = (): boolean =>
    central.must('ovn-sbctl', 'list', 'Chassis').includes('microshift-net-request') ||
    central.must('ovn-sbctl', 'list', 'SB_Global').includes('microshift-net-certificate-');
  const follow = central.start('ovsdb-client', 'monitor', 'unix:/run/ovn/ovnsb_db.sock', 'OVN_Southbound', 'ALL');
  while (isPending()) await once(follow.stdout as NodeJS.ReadableStream, 'data');
  follow.kill();
}
