import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { render } from '../../../agent/commands/manifests-command.ts';
import { defaultConfig as config } from '../../../agent/config/defaults.ts';
import { plain } from '../../../agent/view/style.ts';

const base = {
  config,
  image: 'registry.example/ovn:1',
  controlPlane: '192.0.2.10',
  output: { format: 'text', style: plain, result: () => {}, say: () => {} },
} as const;

t.test('a directory gets exactly the rendered files, and unchanged files are not written again', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'microshift-net-render-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'mine.yaml'), 'kept');
  await render({ ...base, flavor: 'multi-node', directory, kustomization: true });
  t.ok(readdirSync(directory).some((name) => name.endsWith('configmap-ovn-config.yaml')));
  await render({ ...base, directory, kustomization: true });
  const names = readdirSync(directory);
  t.notOk(
    names.some((name) => name.endsWith('configmap-ovn-config.yaml')),
    'files of another flavour are removed',
  );
  const listed = [...readFileSync(join(directory, 'kustomization.yaml'), 'utf8').matchAll(/^ {2}- (.*)$/gm)].map(
    ([, name]) => name,
  );
  t.same(
    listed,
    names.filter((name) => /^\d/.test(name)),
  );
  const times = names.map((name) => statSync(join(directory, name)).mtimeMs);
  await render({ ...base, directory, kustomization: true });
  t.same(
    names.map((name) => statSync(join(directory, name)).mtimeMs),
    times,
  );
  t.equal(readFileSync(join(directory, 'mine.yaml'), 'utf8'), 'kept');
});

t.test('files of another program stay', async (t) => {
  const others = {
    '10-deployment-shop.yaml': 'kind: Deployment\n',
    'kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - 10-deployment-shop.yaml\n',
  };
  const directory = t.testdir(others);
  await render({ ...base, directory });
  for (const [name, text] of Object.entries(others)) t.equal(readFileSync(join(directory, name), 'utf8'), text);
  const names = readdirSync(directory);
  const failure = await render({ ...base, flavor: 'multi-node', directory, kustomization: true }).catch(
    (error: unknown) => error,
  );
  t.match(failure, { kind: 'state-unwritable', message: /kustomization\.yaml there belongs to another program/ });
  t.same(readdirSync(directory), names, 'a refused directory is unchanged');
});

t.test('a link in place of a temporary file is not written through', async (t) => {
  const directory = t.testdir({ manifests: {}, precious: 'kept' });
  const target = join(directory, 'manifests');
  await render({ ...base, directory: target, kustomization: true });
  const names = readdirSync(target);
  for (const name of names) {
    rmSync(join(target, name));
    symlinkSync('../precious', join(target, `${name}.${process.pid}.new`));
  }
  await render({ ...base, directory: target, kustomization: true });
  t.equal(readFileSync(join(directory, 'precious'), 'utf8'), 'kept');
  t.same(readdirSync(target), names);
});

t.test('a directory that cannot be written is an AgentError', async (t) => {
  const failure = await render({ ...base, directory: '/proc/nowhere' }).catch((error: unknown) => error);
  t.match(failure, { kind: 'state-unwritable', message: /cannot be written to \/proc\/nowhere/ });
});

t.test('JSON output contains the objects', async (t) => {
  let document: object | null = null;
  const result = (_text: string, value: object | null): void => {
    document = value;
  };
  await render({ ...base, output: { ...base.output, result } });
  t.match(document, { command: 'manifests render', directory: null, objects: [{ kind: 'Namespace' }] });
});
