// A kubeconfig with more rights than the daemon needs, as a node reports it: at `overlay init`, by `doctor` and by
// `overlay verify`.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { apiServerFor } from '../cluster/session.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { nodeKubeconfig, offerApi } from './relay.ts';

const skip = missingForHosts() ?? false;
const complaint = `the daemon works with the rights of an administrator of Kubernetes (${nodeKubeconfig})`;

interface Report {
  readonly checks: readonly { readonly id: string; readonly verdict: string; readonly found: readonly string[] }[];
}

function credentialsOf(host: Host): Report['checks'][number] | undefined {
  const report = JSON.parse(host.agent('doctor', '--output', 'json').stdout) as Report;
  return report.checks.find(({ id }) => id === 'overlay-credentials');
}

t.test('credentials of an administrator, and of an account with few rights', { skip }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  server.kubectl('apply', '-f', 'config/overlay-access.yaml');
  const lan = await startLan(t);
  const n1 = await lan.host('n1', 11);
  await offerApi(t, server, [n1]);
  form(t, [n1]);
  const notices = (): readonly string[] =>
    n1
      .agent('overlay', 'init')
      .stderr.split('\n')
      .filter((line) => /rights/.test(line));
  t.match(notices(), [`warning: ${complaint}; fewer are enough: docs/use/overlay-trust.md`], 'init warns');
  t.match(credentialsOf(n1), { verdict: 'warning', found: [complaint] }, 'doctor warns');
  t.match(
    n1.agent('overlay', 'verify').stdout.replaceAll(/\n\s+/g, ' '),
    `Worth knowing: ${complaint}`,
    'verify shows the complaint',
  );

  const token = server.kubectl('create', 'token', 'central', '--namespace=microshift-net').trim();
  const text = readFileSync(n1.path(nodeKubeconfig), 'utf8');
  n1.write(nodeKubeconfig, text.replaceAll(server.token, token));
  t.strictSame(notices(), [], 'the account of the central node causes no warning');
  t.match(credentialsOf(n1), { verdict: 'ok', found: [`${nodeKubeconfig} is not that of an administrator`] });
  t.notMatch(n1.agent('overlay', 'verify').stdout, 'rights of an administrator');

  n1.must('rm', nodeKubeconfig);
  t.match(credentialsOf(n1), { verdict: 'not-applicable' }, 'without a kubeconfig, the check does not apply');
});
