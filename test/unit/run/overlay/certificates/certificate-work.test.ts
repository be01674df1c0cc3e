// Decisions about the central node's work while an authority is replaced, with real certificates, also after an
// interruption at each file.
import { writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { makeRequest } from '../../../../../agent/drivers/openssl/certificates.ts';
import { certificatesIn } from '../../../../../agent/drivers/openssl/read-certificate.ts';
import type { OverlayNode } from '../../../../../agent/model/overlay.ts';
import type { OverlayRecord } from '../../../../../agent/model/overlay-record.ts';
import { requestEntry } from '../../../../../agent/overlay/members/renewal.ts';
import {
  addAuthority,
  dropOldAuthority,
  forgetConnectionsToEnd,
  initAuthority,
  installOwn,
  issueFor,
  readOwnAuthority,
  rememberIssued,
  signFor,
} from '../../../../../agent/run/overlay/certificates/authority.ts';
import {
  type CertificateWork,
  certificateWork,
} from '../../../../../agent/run/overlay/certificates/certificate-work.ts';
import { pkiFiles } from '../../../../../agent/run/overlay/certificates/pki-files.ts';

const [central, member] = ['n1', 'n2'].map((name) => ({ name, systemId: `${name}-of-the-test` })) as [
  OverlayNode,
  OverlayNode,
];
const record = { node: central, members: [central, member] } as unknown as OverlayRecord;

interface Cluster {
  readonly pki: string;
  /** Decides the work while the member announces this request; null if it announces none. */
  readonly work: (request: string | null) => CertificateWork;
}

/** Makes a cluster of two nodes whose certificates are of the first authority. */
async function cluster(t: Test): Promise<Cluster> {
  const pki = t.testdir({ issued: {} });
  await initAuthority(pki);
  const own = await issueFor(pki, central, 'server and client', 'issue');
  installOwn(pki, own, readOwnAuthority(pki) ?? '');
  rememberIssued(pki, member.name, (await issueFor(pki, member, 'client', 'issue')).certificate);
  return {
    pki,
    work: (request) => {
      const cmsOptions = request === null ? '' : requestEntry(request);
      const chassis = [{ name: member.systemId, cmsOptions }] as unknown as Parameters<typeof certificateWork>[1];
      return certificateWork(record, chassis, pki, Date.now());
    },
  };
}

const idle: CertificateWork = { steps: [], refused: [], waiting: [] };

t.test('the replacement of an authority, step by step', async (t) => {
  const { pki, work } = await cluster(t);
  const { request } = await makeRequest(pki, member.systemId);
  t.strictSame(work(null), idle, 'no work is due before the replacement');

  await addAuthority(pki);
  t.strictSame(work(null), { ...idle, waiting: ['n2'] }, 'the member has to request a certificate');
  const { steps, waiting } = work(request);
  t.match([steps, waiting], [[{ do: 'answer', node: { name: 'n2' }, request }], ['n2']]);
  rememberIssued(pki, 'n2', await signFor(pki, member.systemId, request, 30), request);
  t.strictSame(work(request), { ...idle, waiting: ['n2'] }, 'the member still announces its request');
  t.match(work(null), { steps: [{ do: 'renew-own' }, { do: 'drop-old' }], waiting: [] });

  installOwn(pki, await issueFor(pki, central, 'server and client', 'renew'), readOwnAuthority(pki) ?? '');
  t.strictSame(work(null), { ...idle, steps: [{ do: 'drop-old' }] }, 'after a crash between the two steps');

  const both = readOwnAuthority(pki) ?? '';
  dropOldAuthority(pki);
  t.equal(certificatesIn(readOwnAuthority(pki) ?? '').length, 1, 'only the signing authority is trusted');
  writeFileSync(pkiFiles(pki).authority, both);
  t.strictSame(
    work(null),
    { ...idle, steps: [{ do: 'drop-old' }] },
    'after a crash between the two files of the authority',
  );
  dropOldAuthority(pki);
  t.strictSame(work(null), { ...idle, steps: [{ do: 'end-connections' }] }, 'after a crash before the connections end');
  forgetConnectionsToEnd(pki);
  t.strictSame(work(null), idle, 'no work is left');
});

t.test('a member that requests a certificate without need is refused', async (t) => {
  const { pki, work } = await cluster(t);
  const { request } = await makeRequest(pki, member.systemId);
  const { steps, refused } = work(request);
  t.strictSame(steps, []);
  t.match(refused, [/^certificate n2-of-the-test \(n2\) requests another one, and is valid until \d{4}-\d\d-\d\d$/]);
});
