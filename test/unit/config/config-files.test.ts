import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { loadedConfig, unknownWarning, withoutProblems } from '../../../agent/config/effective.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import { maxConfigBytes, readConfigFiles } from '../../../agent/config/read-files.ts';
import { throwsMatch } from '../failure.ts';

function node(t: Test, entries: Readonly<Record<string, string>> = {}): { root: string; etc: string } {
  const root = t.testdir({});
  const etc = join(root, 'etc/microshift');
  mkdirSync(join(etc, 'config.d'), { recursive: true });
  for (const [name, text] of Object.entries(entries)) writeFileSync(join(etc, name), text);
  return { root, etc };
}

t.test('a missing file is null', (t) => {
  const files = readConfigFiles(t.testdir({}));
  t.same(files, { ovnYaml: null, configYaml: null, configD: [] });
  t.end();
});

t.test('ovn.yaml, config.yaml and only *.yaml of config.d are read', (t) => {
  const { root } = node(t, {
    'ovn.yaml': 'mtu: 1300\n',
    'config.yaml': 'node: {nodeIP: 192.0.2.1}\n',
    'config.d/20-b.yaml': 'node: {nodeIP: 192.0.2.3}\n',
    'config.d/10-a.yaml': 'node: {nodeIP: 192.0.2.2}\n',
    'config.d/30-c.yaml.rpmsave': 'node: {nodeIP: 192.0.2.4}\n',
  });
  const { config } = loadConfig(readConfigFiles(root));
  t.same(config.mtu, { value: 1300, source: '/etc/microshift/ovn.yaml:1' });
  t.same(config.cluster.nodeIp, { value: '192.0.2.3', source: '/etc/microshift/config.d/20-b.yaml:1' });
  t.end();
});

t.test('drop-in files in subdirectories are read in the order of MicroShift', (t) => {
  const { root, etc } = node(t);
  mkdirSync(join(etc, 'config.d/a/deep.yaml'), { recursive: true });
  mkdirSync(join(etc, 'linked'));
  for (const [index, name] of ['a/deep.yaml/1.yaml', 'a/z.yaml', 'a-b.yaml'].entries())
    writeFileSync(join(etc, 'config.d', name), `node: {nodeIP: 192.0.2.${index + 1}}\n`);
  writeFileSync(join(etc, 'config.d/a/1.yaml'), 'network: {clusterNetwork: [10.1.0.0/16]}\n');
  const { cluster } = loadConfig(readConfigFiles(root)).config;
  t.same(cluster.nodeIp, { value: '192.0.2.3', source: '/etc/microshift/config.d/a-b.yaml:1' });
  t.same(cluster.clusterNetwork.value, ['10.1.0.0/16']);
  symlinkSync(join(etc, 'linked'), join(etc, 'config.d/20.yaml'));
  t.match(readConfigFiles(root).unreadable, [{ kind: 'config-unreadable', facts: { file: /20\.yaml$/ } }]);
  t.end();
});

t.test('another ovn.yaml is named by its own path and has to exist', (t) => {
  const { root, etc } = node(t, { 'other.yaml': 'mtu: 0\n' });
  const path = join(etc, 'other.yaml');
  throwsMatch(t, () => loadConfig(readConfigFiles(root, path)), { kind: 'config-invalid', facts: { file: path } });
  throwsMatch(t, () => readConfigFiles(root, join(etc, 'none.yaml')), { kind: 'config-unreadable' });
  t.end();
});

t.test('a symbolic link is followed, and a link without a target is refused', (t) => {
  const { root, etc } = node(t, { real: 'mtu: 1301\n' });
  symlinkSync('real', join(etc, 'ovn.yaml'));
  t.equal(loadConfig(readConfigFiles(root)).config.mtu.value, 1301);
  symlinkSync('nowhere', join(etc, 'config.yaml'));
  t.match(readConfigFiles(root).unreadable, [{ kind: 'config-unreadable', message: /symbolic link/ }]);
  t.end();
});

t.test('a file that is not a regular file is refused at once', (t) => {
  const { root, etc } = node(t);
  const refused = (name: string, message: RegExp) =>
    throwsMatch(t, () => readConfigFiles(root, join(etc, name)), { kind: 'config-unreadable', message }, name);
  mkdirSync(join(etc, 'directory'));
  refused('directory', /is a directory/);
  execFileSync('/usr/bin/mkfifo', [join(etc, 'fifo')]);
  refused('fifo', /is a FIFO/);
  symlinkSync('/dev/zero', join(etc, 'device'));
  refused('device', /is a device/);
  symlinkSync('loop', join(etc, 'loop'));
  refused('loop', /ELOOP/);
  writeFileSync(join(etc, 'file'), '');
  refused('file/below', /ENOTDIR/);
  t.end();
});

t.test('an unreadable file of MicroShift is reported, and the other files are read', async (t) => {
  const root = t.testdir({ etc: { microshift: { 'config.d': 'text', 'ovn.yaml': 'mtu: 1300' } } });
  const files = readConfigFiles(root);
  t.match(files.unreadable, [{ kind: 'config-unreadable', message: /ENOTDIR/ }]);
  const loaded = await loadedConfig(files);
  t.equal(loaded.config.mtu.value, 1300);
  throwsMatch(t, () => withoutProblems(loaded), { kind: 'config-unreadable' });
  const path = join(root, 'etc/microshift/config.d');
  const message = 'cannot be read (ENOTDIR); the setting there is not known, and counts as not set';
  t.same(loaded.clusterProblems.map(unknownWarning), [{ source: path, message }]);
  t.same((await loadedConfig({ ovnYaml: null, configYaml: null, configD: [] })).clusterProblems, []);
});

t.test('the readable parts of broken files of MicroShift are used', (t) => {
  const { root } = node(t, {
    'config.yaml': 'network: {serviceNodePortRange: 1, cniPlugin: cilium}\nnode: {nodeIP: 192.0.2.1}\n',
    'config.d/10-a.yaml': 'network: [\n',
    'config.d/20-b.yaml': 'network: {clusterNetwork: [10.1.0.0/16]}\n',
  });
  const { config, clusterProblems } = loadConfig(readConfigFiles(root));
  t.match(config.cluster, {
    clusterNetwork: { value: ['10.1.0.0/16'] },
    serviceNodePortRange: { value: '30000-32767', source: 'default' },
    cniPlugin: { value: 'ovnk', source: 'default' },
    nodeIp: { value: '192.0.2.1' },
  });
  const [broken, ...others] = clusterProblems.map(unknownWarning);
  t.match(broken, {
    source: /^\/etc\/microshift\/config.d\/10-a.yaml:\d+$/,
    message: /; the setting there is not known/,
  });
  t.match(others, [
    { source: '/etc/microshift/config.yaml:1', message: /^network.serviceNodePortRange must be/ },
    {
      source: '/etc/microshift/config.yaml:1',
      message: /^network.cniPlugin must be ovnk or none, not "cilium"; the setting/,
    },
  ]);
  t.end();
});

t.test('a file without read permission is refused', { skip: process.getuid?.() === 0 && 'root may read it' }, (t) => {
  const { root, etc } = node(t, { 'ovn.yaml': '' });
  chmodSync(join(etc, 'ovn.yaml'), 0);
  throwsMatch(t, () => readConfigFiles(root), { kind: 'config-unreadable', message: /permission denied/ });
  t.end();
});

t.test('a file that is larger than the limit is refused, never cut', (t) => {
  const { root } = node(t, { 'ovn.yaml': `a: [${'*a,'.repeat(4_000_000)}]` });
  throwsMatch(t, () => readConfigFiles(root), { kind: 'config-invalid', message: /is larger than/ });
  const ovnYaml = 'x'.repeat(maxConfigBytes + 1);
  throwsMatch(t, () => loadConfig({ ovnYaml, configYaml: null, configD: [] }), { kind: 'config-invalid' });
  t.end();
});
