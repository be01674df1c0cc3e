// Central node that cannot create its nftables table: the cluster still gets its addresses, and the node reports the
// missing package.
import t from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { asWanted, startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
const programs = '/run/programs';

/** Removes nft from the node and keeps all other programs; returns a function that restores it. */
function withoutNft(host: Host): () => void {
  const link = `mkdir ${programs} && for folder in /bin /usr/sbin /usr/bin; do ln -sf $folder/* ${programs}; done`;
  host.must('sh', '-c', link);
  const nft = host.must('readlink', `${programs}/nft`).trim();
  host.must('rm', `${programs}/nft`);
  return () => void host.must('ln', '-s', nft, `${programs}/nft`);
}

t.test('a service whose server is on a node without nft', { skip }, async (t) => {
  const lan = await startLan(t);
  const n1 = await lan.host('n1', 11);
  form(t, [n1]);
  n1.must('ovn-nbctl', 'lb-add', 'web', '10.43.0.10:80', `${n1.address}:8080`, 'tcp');
  n1.must('ovn-nbctl', '--wait=hv', 'ls-lb-add', 'n1', 'web');
  const install = withoutNft(n1);
  const daemon = await startDaemon(n1, /^READY=1 STATUS=nft cannot be started/, undefined, [`PATH=${programs}`]);
  t.equal(
    n1.run(['test', '-S', '/run/microshift-net/cni.sock']).status,
    0,
    'pods are served, after the watcher has received the cluster',
  );
  t.match(n1.agent('overlay', 'status').stdout, /nft cannot be started/);

  // A lost row is restored although the failure continues; the new switch has no service, so no flow is missing for a
  // moment.
  n1.must('ovn-nbctl', 'ls-del', 'n1');
  await daemon.reported(asWanted);
  n1.must('ovn-nbctl', 'wait-until', 'Logical_Switch', 'n1');
  t.equal(n1.must('ovn-nbctl', 'get', 'Logical_Switch', 'n1', 'name').trim(), 'n1', 'rows are kept');
  n1.must('ovn-nbctl', '--wait=hv', 'ls-lb-add', 'n1', 'web');
  await daemon.reported(/STATUS=nft cannot be started/);
  install();
  await daemon.reported(asWanted);
  t.match(n1.must('nft', 'list', 'table', 'inet', 'microshift_net_overlay'), /10\.43\.0\.10/);
  t.equal(await daemon.stop(), 0);
});
