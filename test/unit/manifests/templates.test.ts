import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { defaultCniBinDirectory, renderManifests } from '../../../agent/manifests/render.ts';
import { templates } from '../../../agent/manifests/templates.generated.ts';
import { fieldAt, type KubernetesObject, listAt } from '../../../agent/model/kubernetes/object.ts';
import { type Flavor, flavorTraits } from '../../../agent/model/manifest-flavors.ts';

const root = join(import.meta.dirname, '../../../..');
const flavors = Object.keys(flavorTraits) as readonly Flavor[];

function rendered(flavor: (typeof flavors)[number]): KubernetesObject[] {
  const settings = {
    image: 'registry.example/ovn:1',
    cniBinDirectory: defaultCniBinDirectory,
    controlPlane: '192.0.2.10',
  };
  return renderManifests({ config: defaultConfig, flavor, ...settings });
}

t.test('shell in the containers passes shellcheck', async (t) => {
  if (spawnSync('shellcheck', ['--version']).error !== undefined) {
    t.plan(0, 'shellcheck is missing');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'microshift-net-scripts-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const flavor of flavors) {
    const objects = rendered(flavor);
    const carried = objects.find(({ metadata }) => metadata.name === 'ovnkube-scripts')?.data as Record<string, string>;
    for (const [name, text] of Object.entries(carried)) writeFileSync(join(folder, name), text);
    for (const [place, command] of commandsOf(objects)) {
      const inline = command.indexOf('-c');
      if (/(^|\/)(ba)?sh$/.test(command[0] ?? '') && inline > 0) {
        writeFileSync(join(folder, `inline-${place}.sh`), `#!/bin/bash\n${command[inline + 1]}\n`);
      }
      const script = command.find((word) => word.startsWith('/scripts/'));
      if (script !== undefined) t.ok(script.slice('/scripts/'.length) in carried, `${place} runs ${script}`);
    }
  }
  const words = [
    '--external-sources',
    '--source-path',
    folder,
    ...readdirSync(folder).map((name) => join(folder, name)),
  ];
  const { status, stdout } = spawnSync('shellcheck', words, { encoding: 'utf8' });
  t.equal(status, 0, stdout);
});

t.test('shell assignments of env-overrides', (t) => {
  const folder = t.testdir({ _master: 'ONE=all\nTWO=all\n', n1: 'TWO=n1\n' });
  const script = readFileSync(join(root, 'config/manifests/scripts/environment.sh'), 'utf8');
  const variablesOf = (node: string): string =>
    execFileSync('bash', ['-c', `${script.replaceAll('/env/', `${folder}/`)}\nenv`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, K8S_NODE: node },
    });
  t.match(variablesOf('n1'), /^ONE=all$/m);
  t.match(variablesOf('n1'), /^TWO=n1$/m, 'assignments for the node take precedence');
  t.match(variablesOf('n2'), /^TWO=all$/m);
  t.end();
});

t.test('every container has probes, ends on request, and requests its resources', async (t) => {
  for (const flavor of flavors) {
    for (const daemonSet of rendered(flavor).filter(({ kind }) => kind === 'DaemonSet')) {
      const pod = fieldAt(daemonSet, 'spec', 'template', 'spec');
      t.ok(fieldAt(pod, 'priorityClassName'), `${flavor} ${daemonSet.metadata.name}`);
      const volumes = new Set(listAt(pod, 'volumes').map((one) => fieldAt(one, 'name')));
      const used = new Set<unknown>();
      for (const container of listAt(pod, 'containers')) {
        const name = `${flavor} ${String(fieldAt(container, 'name'))}`;
        t.ok(fieldAt(container, 'resources', 'requests', 'memory'), `${name} requests memory`);
        t.equal(fieldAt(container, 'terminationMessagePolicy'), 'FallbackToLogsOnError', name);
        t.ok(fieldAt(container, 'readinessProbe', 'exec'), `${name} has a readiness probe`);
        // Controllers that belong to no node have no state to remove, and nothing on a node waits for them.
        const isController = ['ovnkube-cluster-manager', 'multi-node ovnkube-master'].some((one) => name.endsWith(one));
        if (!isController) t.ok(fieldAt(container, 'lifecycle', 'preStop'), `${name} has a preStop hook`);
        for (const mount of listAt(container, 'volumeMounts')) used.add(fieldAt(mount, 'name'));
      }
      t.same([...used].sort(), [...volumes].sort(), 'containers use exactly the volumes of their pod');
    }
  }
});

t.test('every key that a container takes from a ConfigMap exists in the ConfigMap', async (t) => {
  for (const flavor of ['multi-node', 'interconnect'] as const) {
    const objects = rendered(flavor);
    const pods = objects.map((object) => fieldAt(object, 'spec', 'template', 'spec'));
    const variables = pods.flatMap((pod) => listAt(pod, 'containers').flatMap((container) => listAt(container, 'env')));
    const references = variables.flatMap((variable) => fieldAt(variable, 'valueFrom', 'configMapKeyRef') ?? []);
    t.ok(references.length > 0, `containers of ${flavor} take keys from a ConfigMap`);
    for (const reference of references) {
      const [map, key] = [String(fieldAt(reference, 'name')), String(fieldAt(reference, 'key'))];
      const data = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map)?.data;
      t.type(fieldAt(data, key), 'string', `${flavor} ${map} ${key}`);
    }
  }
});

t.test('the rendered bytes do not depend on the folder, the time, the time zone or the host', async (t) => {
  const code = `
    import { render } from '${root}/build/agent/commands/manifests-command.js';
    import { defaultConfig as config } from '${root}/build/agent/config/defaults.js';
    await render({ config, image: 'registry.example/ovn:1', output: { result: (text) => process.stdout.write(text) } });`;
  const inPlace = (cwd: string, environment: object): string =>
    execFileSync('node', ['--input-type=module', '-e', code], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    });
  const here = inPlace(root, { TZ: 'UTC', LANG: 'C' });
  t.equal(inPlace('/', { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8', HOSTNAME: 'other' }), here);
});

t.test('rendering loads neither the Kubernetes library nor any driver of a cluster', async (t) => {
  const hooks = `export async function resolve(specifier, context, next) {
    if (/client-node|drivers\\/kubernetes\\/(open-cluster|kubeconfig)/.test(specifier)) throw new Error('loaded ' + specifier);
    return next(specifier, context);
  }`;
  const code = `
    import { register } from 'node:module';
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});
    const { render, apply } = await import('${root}/build/agent/commands/manifests-command.js');
    const { defaultConfig } = await import('${root}/build/agent/config/defaults.js');
    const cniPlugin = { value: 'none', source: 'config.yaml:2' };
    const config = { ...defaultConfig, cluster: { ...defaultConfig.cluster, cniPlugin } };
    const options = { config, image: 'registry.example/ovn:1', output: { result: () => {} }, signal: null };
    await render(options);
    await apply(options).catch((error) => process.stdout.write(error.message));`;
  const answer = execFileSync('node', ['--input-type=module', '-e', code], { encoding: 'utf8' });
  t.match(answer, 'loaded ../../drivers/kubernetes/open-cluster.js', 'the check detects the driver that `apply` loads');
});

t.test('only the driver imports the Kubernetes library', async (t) => {
  const found = execFileSync('grep', ['-rlE', "from '@kubernetes/client-node", join(root, 'agent')], {
    encoding: 'utf8',
  });
  t.match(found.trim(), /^\S+agent\/drivers\/kubernetes\/library-kubeconfig\.ts$/);
});

function commandsOf(objects: readonly KubernetesObject[]): [string, string[]][] {
  const commands: [string, string[]][] = [];
  const walk = (place: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const command = fieldAt(value, 'command');
    if (Array.isArray(command)) commands.push([place, command.map(String)]);
    for (const [name, inner] of Object.entries(value)) walk(`${place}-${name}`, inner);
  };
  for (const object of objects) walk(object.metadata.name, object.spec);
  return commands;
}

t.test('a new ConfigMap keeps its own data, and pods restart when the data that they read changes', async (t) => {
  const settings = { config: defaultConfig, image: 'x', cniBinDirectory: '/x', controlPlane: null };
  const [daemonSet] = templates['single-node/ovnkube-node']?.filter(({ kind }) => kind === 'DaemonSet') ?? [];
  const ways: Readonly<Record<string, (pod: Record<string, unknown>) => void>> = {
    envFrom: (pod) =>
      Object.assign(listAt(pod, 'containers')[0] as object, { envFrom: [{ configMapRef: { name: 'extra' } }] }),
    'an init container': (pod) => {
      const env = [{ name: 'KEY', valueFrom: { configMapKeyRef: { name: 'extra', key: 'KEY' } } }];
      pod.initContainers = [{ name: 'init', env }];
    },
    'a projected volume': (pod) => {
      const volume = { name: 'all', projected: { sources: [{ configMap: { name: 'extra' } }] } };
      pod.volumes = [...listAt(pod, 'volumes'), volume];
    },
  };
  for (const [way, read] of Object.entries(ways)) {
    const hashOf = (value: string): unknown => {
      const copy = structuredClone(daemonSet) as KubernetesObject;
      read(fieldAt(copy, 'spec', 'template', 'spec') as Record<string, unknown>);
      const extra = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' }, data: { KEY: value } };
      const objects = renderManifests({ ...settings, flavor: 'classic' }, { 'single-node/new': [copy, extra] });
      t.same(objects.find(({ kind }) => kind === 'ConfigMap')?.data, { KEY: value }, way);
      const found = objects.find(({ kind }) => kind === 'DaemonSet');
      return fieldAt(found, 'spec', 'template', 'metadata', 'annotations', 'microshift-net/config-hash');
    };
    t.type(hashOf('a'), 'string', way);
    t.not(hashOf('a'), hashOf('b'), way);
  }
});
