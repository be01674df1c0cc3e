// Configurations that test/cases/config.txt cannot contain: bytes that are not text, and large files.
import t from 'tap';
import { loadConfig } from '../../../agent/config/load.ts';
import type { FileContent } from '../../../agent/config/read-files.ts';
import { AgentError } from '../../../agent/errors.ts';

/** Returns the error with which an ovn.yaml is refused. */
function failure(ovnYaml: FileContent): AgentError {
  try {
    loadConfig({ ovnYaml, configYaml: null, configD: [] });
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error('no failure');
}

const rows: readonly (readonly [name: string, bytes: readonly number[] | string, message: string])[] = [
  ['NUL', 'mtu: 1300\0\n', '1:10: the file holds a NUL byte'],
  ['escape', 'mtu: 1\n\u001b[31m: 1\n', '2:1: the file holds the control character U+001B'],
  ['C1 control', '# ä\n# x\u009by\n', '2:4: the file holds the control character U+009B'],
  ['bad UTF-8', [0x61, 0x3a, 0x20, 0xff, 0x0a], '1:4: the file is not valid UTF-8'],
  ['cut UTF-8', [0x23, 0xc3, 0xa4, 0x0a, 0x23, 0xc3], '2:2: the file is not valid UTF-8'],
  ['bad after a genuine U+FFFD', [0x23, 0xef, 0xbf, 0xbd, 0x20, 0xfe], '1:4: the file is not valid UTF-8'],
  ['bad after a byte order mark', [0xef, 0xbb, 0xbf, 0x23, 0xef, 0xbf, 0xbd, 0xc0], '1:3: the file is not valid UTF-8'],
  ['UTF-16', [0xff, 0xfe, 0x6d, 0x00], '1:1: the file is UTF-16'],
];

for (const [name, bytes, message] of rows) {
  t.test(name, (t) => {
    const error = failure(typeof bytes === 'string' ? bytes : Uint8Array.from(bytes));
    t.equal(error.message, `/etc/microshift/ovn.yaml:${message}`);
    t.equal(error.kind, 'config-syntax');
    t.match(error.facts, { snippet: /\^$/, problemCount: 1 });
    t.equal(Array.from(String(error.facts.snippet)).find(isControl), undefined);
    t.end();
  });
}

t.test('a genuine U+FFFD and a NEL are text', (t) => {
  t.same(loadConfig({ ovnYaml: '# \ufffd \u0085\nmtu: 1300\n', configYaml: null, configD: [] }).warnings, []);
  t.end();
});

t.test('columns count characters, not UTF-16 units', (t) => {
  t.match(failure('{"😀😀": 1, foo: 2}').message, /:1:2: /);
  t.match(failure('{mtu: 1300, "uplink": "😀😀", foo: 2}').message, /:1:29: unknown key foo/);
  t.end();
});

function isControl(character: string): boolean {
  return (character < ' ' && character !== '\n') || (character >= '\u007f' && character < '\u00a0');
}

const large = 1024 * 1024 - 100;
const heavy: Readonly<Record<string, string>> = {
  aliases: `a: [${'*a,'.repeat(large / 3)}]`,
  'ten megabytes of aliases': `a: [${'*a,'.repeat(3_400_000)}]`,
  'billion laughs': `a0: &a0 x\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join('\n')}`,
  brackets: '['.repeat(large),
  'explicit keys': '? '.repeat(large / 2),
  keys: Array.from({ length: 90_000 }, (_, i) => `k${i}: 1`).join('\n'),
  'unknown keys': Array.from({ length: 4000 }, (_, i) => `k${i}: 1`).join('\n'),
  digits: `mtu: ${'1'.repeat(large)}`,
  'a CPU list': `ovs: {cpuAffinity: "${'0,'.repeat(large / 2)}"}`,
  'an image': `manifests: {image: ${'a'.repeat(large)}}`,
  'lines before': `${'\n'.repeat(large)}foo: 1`,
};

for (const [name, text] of Object.entries(heavy)) {
  t.test(`a large file is refused in a short time: ${name}`, (t) => {
    t.match(failure(text), { message: /^.{1,400}$/, kind: /^config-(?:syntax|invalid)$/ });
    t.end();
  });
}

t.test('merge keys that refer to each other many times are read in a short time', (t) => {
  const links = Array.from({ length: 40 }, (_, i) => `x${i}: &x${i + 1} {<<: [*x${i}, *x${i}, *x${i}]}`);
  const configYaml = `x: &x0 {}\n${links.join('\n')}\nnetwork: *x40\n`;
  t.equal(loadConfig({ ovnYaml: null, configYaml, configD: [] }).config.cluster.clusterNetwork.source, 'default');
  t.equal(loadConfig({ ovnYaml: null, configYaml: 'network: &n\n  <<: *n\n', configD: [] }).warnings.length, 0);
  t.end();
});
