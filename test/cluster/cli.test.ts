import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { programPath, runProgram } from './program.ts';
import { finishNamespace, image, namespace, reportRollout, sharedApiServer, testWithoutManifests } from './session.ts';

const withImage = ['--image', image];

function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'microshift-net-cli-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the texts of the files in a folder, by file name. */
function textsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

async function withoutCluster(t: Test): Promise<void> {
  t.test('render writes the same bytes every time, to the output or into a folder', async (t) => {
    const stream = await runProgram(['manifests', 'render', ...withImage]);
    t.match(stream, { code: 0, stderr: '' });
    const folder = join(temporaryFolder(t), 'deep/down');
    const written = await runProgram(['manifests', 'render', ...withImage, '-o', folder, '--kustomization']);
    t.match(written, { code: 0, stdout: '', stderr: '' });
    const { 'kustomization.yaml': kustomization = '', ...files } = textsOf(folder);
    const joined = Object.values(files).map((text) => `---\n${text}`);
    t.equal(joined.join(''), stream.stdout, 'the files in their order have the same bytes as the output');
    for (const name of Object.keys(files)) t.match(kustomization, `- ${name}\n`);
  });

  t.test('render with --output json prints one document', async (t) => {
    const { code, stdout } = await runProgram(['--output', 'json', 'manifests', 'render', ...withImage]);
    t.equal(code, 0);
    const { outcome, objects } = JSON.parse(stdout);
    t.match([outcome, objects.length, objects[0].kind], ['rendered', 13, 'Namespace']);
  });

  t.test('for wrong input, the message names the fault, and the exit code its kind', async (t) => {
    const noImage = await runProgram(['manifests', 'render']);
    t.match(noImage, { code: 2, stdout: '', stderr: /image/ });
    const asJson = await runProgram(['--output', 'json', 'manifests', 'render']);
    t.match(JSON.parse(asJson.stdout), { outcome: 'error', error: { kind: 'image-unknown' } });
    for (const command of ['apply', 'diff', 'status', 'delete']) {
      const noCluster = await runProgram(['manifests', command, ...withImage, '--timeout', '1']);
      t.match(noCluster, { code: 5, stdout: '', stderr: /MicroShift has not written/ }, command);
    }
    t.match(await runProgram(['manifests', 'apply', '--flavor', 'unheard-of']), { code: 2, stdout: '' });
    const twoImages = await runProgram(['manifests', 'apply', '--running-image', ...withImage]);
    t.match(twoImages, { code: 2, stdout: '', stderr: /cannot be used with option '--image/ });
    const beside = { configYaml: 'network: {}\n' };
    for (const command of ['apply', 'delete']) {
      const foreign = await runProgram(['manifests', command], beside);
      t.match(foreign, { code: 2, stdout: '', stderr: /network.cniPlugin is not set, so MicroShift puts/ }, command);
    }
    const left = await runProgram(['manifests', 'apply', '--unless-microshift'], beside);
    t.match(left, { code: 0, stdout: /^Nothing to do: network.cniPlugin is not none/, stderr: '' });
    const without = await runProgram(['manifests', 'apply', ...withImage], { configYaml: null });
    t.match(without, { code: 5, stdout: '', stderr: /no kubeconfig is named, and this node has no MicroShift/ });
    const broken = await runProgram(['manifests', 'render', ...withImage], { configYaml: 'network: [' });
    t.match(broken, { code: 2, stdout: '', stderr: /config.yaml:1/ });
    const lost = await runProgram(['manifests', 'status', '--kubeconfig', '/nothing-here']);
    t.match(lost, { code: 2, stderr: /the kubeconfig \/nothing-here does not exist/ });
  });
}

if (!existsSync(programPath)) t.pass('the program', { skip: 'dist/microshift-net is not built: npm run build' });
else {
  await withoutCluster(t);
  const server = await sharedApiServer();
  if (server !== null) {
    testWithoutManifests(server);
    const options = { kubeconfig: server.kubeconfig('admin') };
    const manifests = (...words: string[]) => runProgram(['manifests', ...words, ...withImage], options);

    t.test('the exit codes of diff, apply and status show whether work is left', async (t) => {
      t.match(await manifests('diff'), { code: 3, stdout: 'DaemonSet ovnkube-master' });
      t.match(await manifests('status'), { code: 3, stdout: 'no DaemonSet of microshift-net' });
      t.match(await manifests('apply'), { code: 0, stdout: ': 13 of 13 objects touched' });
      t.match(await manifests('status'), { code: 3, stdout: 'ovnkube-master' });
      await reportRollout(server, 1);
      t.match(await manifests('status'), { code: 0 });
      t.match(await manifests('apply', '--wait'), { code: 0, stderr: 'ovnkube-node: 1/1 updated, 1/1 ready' });
      const directory = temporaryFolder(t);
      t.match(await manifests('render', '-o', directory, '--kustomization'), { code: 0 });
      t.match(server.kubectl('kustomize', directory), 'name: ovnkube-master');
      server.kubectl('diff', '--server-side', '--field-manager=microshift-net', '-k', directory);
    });

    t.test('diff, apply and status print JSON', async (t) => {
      const json = async (...words: string[]) => {
        const { code, stdout } = await runProgram(['--output', 'json', 'manifests', ...words, ...withImage], options);
        return { code, answer: JSON.parse(stdout) };
      };
      t.match(await json('diff'), { code: 0, answer: { flavor: 'classic', differences: [] } });
      const applied = await json('apply');
      t.match(applied, { code: 0, answer: { flavor: 'classic', daemonSets: null } });
      t.ok(applied.answer.objects.every(({ outcome }: { outcome: string }) => outcome === 'unchanged'));
      const states = [
        { name: 'ovnkube-master', rolledOut: true },
        { name: 'ovnkube-node', rolledOut: true },
      ];
      t.match(await json('status'), { code: 0, answer: { daemonSets: states } });
    });

    t.test('a kubeconfig with an exec plug-in is used with the Kubernetes client', async (t) => {
      const apiVersion = 'client.authentication.k8s.io/v1';
      const credential = { apiVersion, kind: 'ExecCredential', status: { token: server.token } };
      const exec = { apiVersion, command: 'echo', args: [JSON.stringify(credential)], interactiveMode: 'Never' };
      const kubeconfig = server.kubeconfig('exec', { user: { exec } });
      t.match(await runProgram(['manifests', 'diff', ...withImage], { kubeconfig }), { code: 0 });
    });

    t.test("another manager's field causes apply to fail with 1 and the manager's name", async (t) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps/ovnkube-config?fieldManager=their-operator`;
      const theirs = { data: { 'ovnkube.conf': '[default]\nmtu=9000\n' } };
      await server.call('PATCH', path, theirs, 'application/merge-patch+json');
      t.match(await manifests('apply'), { code: 1, stdout: '', stderr: 'their-operator' });
      const words = ['--output', 'json', 'manifests', 'apply', ...withImage];
      t.match(JSON.parse((await runProgram(words, options)).stdout), { error: { kind: 'apply-conflict' } });
      t.match(await manifests('apply', '--force-conflicts'), { code: 0, stdout: ': 1 of 13 objects touched' });
    });

    t.test('SIGTERM ends apply --wait, and the next apply --wait succeeds', async (t) => {
      await reportRollout(server, 0);
      let sent = false;
      const onStderr = (text: string, send: (signal: NodeJS.Signals) => void): void => {
        if (sent || !text.includes('ovnkube-master: 1/1 updated, 0/1 ready')) return;
        sent = true;
        send('SIGTERM');
      };
      const words = ['manifests', 'apply', '--wait', ...withImage];
      const stopped = await runProgram(words, { ...options, onStderr });
      t.match(stopped, { code: 1, signal: null, stdout: '', stderr: 'stopped by SIGTERM' });
      t.notMatch(stopped.stderr, /defect|unexpected/);
      await reportRollout(server, 1);
      t.match(await manifests('apply', '--wait'), { code: 0, stdout: ': 0 of 13 objects touched' });
    });

    t.test('delete removes all objects', async (t) => {
      const deleting = runProgram(['manifests', 'delete'], options);
      await finishNamespace(server);
      const gone = await deleting;
      t.match(gone, { code: 0, stderr: 'removing DaemonSet ovnkube-master' });
      t.equal((await server.call('GET', `/api/v1/namespaces/${namespace}`)).status, 404);
    });
  }
}
