import t from 'tap';
import { type CniCommand, readRequest, versionOf } from '../../../agent/cni/cni-request.ts';
import { CniError, errorResult } from '../../../agent/cni/error.ts';

const args = 'IgnoreUnknown=1;K8S_POD_NAMESPACE=web;K8S_POD_NAME=a-0;K8S_POD_INFRA_CONTAINER_ID=x;K8S_POD_UID=u-1';
const words = {
  id: 'c1',
  netns: '/run/netns/a',
  ifname: 'eth0',
  args,
  config: { cniVersion: '1.1.0', name: 'x' } as object | string,
};

function read(command: CniCommand, changes: Partial<typeof words> = {}) {
  const { id, netns, ifname, args, config } = { ...words, ...changes };
  return readRequest(command, [
    id,
    netns,
    ifname,
    args,
    typeof config === 'string' ? config : JSON.stringify(config),
    'seen',
  ]);
}

function code(command: CniCommand, changes: Partial<typeof words>): number | null {
  try {
    read(command, changes);
    return null;
  } catch (error) {
    if (error instanceof CniError) return error.code;
    throw error;
  }
}

t.test('a request', (t) => {
  t.strictSame(read('ADD', { config: { cniVersion: '1.0.0', dns: { search: ['x'] } } }), {
    command: 'ADD',
    config: { version: '1.0.0', dns: { search: ['x'] }, prevResult: null, validContainers: [] },
    containerId: 'c1',
    netns: '/run/netns/a',
    ifname: 'eth0',
    pod: { namespace: 'web', name: 'a-0', uid: 'u-1' },
    observed: ['seen'],
  });
  t.match(read('ADD', { args: 'K8S_POD_NAMESPACE=web;K8S_POD_NAME=a-0' }), { pod: { uid: null } });
  t.match(read('ADD', { args: '' }), { pod: null }, 'ADD without arguments is read, with a null pod');
  t.match(read('DEL', { netns: '' }), { netns: '' }, 'DEL is accepted without a namespace');
  const list = {
    cniVersion: '1.1.0',
    'cni.dev/valid-attachments': [{ containerID: 'a', ifname: 'eth0' }, { containerID: 'b' }],
  };
  t.match(read('GC', { id: '', netns: '', ifname: '', args: '', config: list }), {
    config: { validContainers: ['a', 'b'] },
  });
  t.match(read('STATUS', { id: '', netns: '', ifname: '', args: '' }), { pod: null });
  t.end();
});

t.test('refused requests, with the code of the specification', (t) => {
  const cases: readonly [number, CniCommand, Partial<typeof words>, string][] = [
    [1, 'ADD', { config: { cniVersion: '2.0.0' } }, 'a version to come'],
    [1, 'ADD', { config: {} }, 'none, which is 0.1.0'],
    [1, 'ADD', { config: { cniVersion: 1 } }, 'a version that is not text'],
    [1, 'CHECK', { config: { cniVersion: '0.3.1', prevResult: {} } }, 'CHECK before there was one'],
    [1, 'GC', { config: { cniVersion: '1.0.0' } }, 'GC before there was one'],
    [1, 'STATUS', { config: { cniVersion: '1.0.0' } }, 'STATUS before there was one'],
    [4, 'ADD', { id: '' }, 'no container'],
    [4, 'ADD', { id: '-x' }, 'an option'],
    [4, 'DEL', { id: 'a b' }, 'a container with a space'],
    [4, 'ADD', { netns: '' }, 'no namespace'],
    [4, 'ADD', { netns: 'a' }, 'no path'],
    [4, 'ADD', { netns: '/a b' }, 'two words for ip(8)'],
    [4, 'ADD', { netns: '/a\nlink' }, 'two lines for ip(8)'],
    [4, 'ADD', { netns: '/a"' }, 'a quotation for ip(8)'],
    [4, 'ADD', { ifname: '' }, 'no name'],
    [4, 'ADD', { ifname: '..' }, 'a folder'],
    [4, 'ADD', { ifname: 'eth0/1' }, 'a path as a name'],
    [4, 'ADD', { ifname: 'sixteen-letters0' }, 'a name that the kernel cuts'],
    [4, 'ADD', { args: 'K8S_POD_NAMESPACE=../x;K8S_POD_NAME=a' }, 'a namespace that the API does not take'],
    [6, 'ADD', { config: '{' }, 'no JSON'],
    [6, 'ADD', { config: '[]' }, 'no object'],
    [7, 'ADD', { config: { cniVersion: '1.1.0', prevResult: { ips: [] } } }, 'not the first of the list'],
    [7, 'CHECK', {}, 'CHECK without a result'],
    [7, 'GC', {}, 'GC without a list'],
    [7, 'GC', { config: { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [{}] } }, 'GC with another list'],
  ];
  for (const [expected, command, changes, what] of cases)
    t.equal(code(command, changes), expected, `${command}: ${what}`);
  t.end();
});

t.test('an error has the requested version', (t) => {
  t.equal(versionOf('{"cniVersion":"0.4.0"}'), '0.4.0');
  t.equal(versionOf('{}'), '0.1.0');
  t.equal(versionOf('null'), '0.1.0');
  t.equal(versionOf('{'), '1.1.0');
  t.equal(
    errorResult('1.0.0', new CniError(11, 'a "b"', 'c')),
    '{"cniVersion":"1.0.0","code":11,"msg":"a \\"b\\"","details":"c"}',
  );
  t.equal(errorResult('1.0.0', new CniError(4, 'a')), '{"cniVersion":"1.0.0","code":4,"msg":"a"}');
  t.end();
});
