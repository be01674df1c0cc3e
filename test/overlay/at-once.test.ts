// Concurrent requests: nodes that request their bundles and join, and one node that joins twice. No node is lost, and
// no number is assigned twice.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { type Ended, type Host, missingForHosts, program, startCentral, startController, startLan } from './hosts.ts';

const skip = missingForHosts() ?? false;

/** Starts the program without waiting for its end. */
async function begin(host: Host, ...words: readonly string[]): Promise<Ended> {
  const child: ChildProcess = host.start(process.execPath, program, ...words);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk) => (said[name] += String(chunk)));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...said };
}

t.test('nodes that join at the same time', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  startCentral(n1);
  for (const host of [n1, n2, n3]) startController(host);
  t.match(n1.agent('overlay', 'init'), { status: 0 });

  const names = ['n2', 'n3', 'n4', 'n5', 'n6'];
  const issued = await Promise.all(
    names.map((name) => begin(n1, 'overlay', 'pki', 'issue', name, '--system-id', `${name}-of-the-test`)),
  );
  for (const [index, one] of issued.entries()) t.match(one, { status: 0, stderr: '' }, `${names[index]} has a bundle`);
  const bundles = issued.map(({ stdout }) => JSON.parse(stdout) as { node: { id: number; subnets: string[] } });
  t.strictSame(
    [1, ...bundles.map(({ node }) => node.id)].toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6],
    'each node has a different number',
  );
  t.equal(new Set(bundles.flatMap(({ node }) => node.subnets)).size, names.length, 'each node has a different subnet');
  const { members } = JSON.parse(readFileSync(n1.path('/var/lib/microshift-net/overlay.json'), 'utf8')) as {
    members: { name: string }[];
  };
  t.strictSame(members.map(({ name }) => name).toSorted(), ['n1', ...names], 'the central node knows all nodes');
  t.match(
    n1.agent('overlay', 'verify'),
    { status: 0, stdout: /^No drift/ },
    'the central node has the rows of all nodes',
  );

  for (const [index, host] of [n2, n3].entries()) host.write('/tmp/bundle', issued[index]?.stdout ?? '');
  const joined = await Promise.all([n2, n2, n3].map((host) => begin(host, 'overlay', 'join', '/tmp/bundle')));
  const [, , third] = joined;
  const twice = joined.slice(0, 2);
  t.match(third, { status: 0 });
  t.ok(
    twice.some(({ status }) => status === 0),
    'of two joins on one node, at least one succeeds',
  );
  for (const { status, stderr } of twice.filter((one) => one.status !== 0))
    t.match(
      { status, stderr },
      { status: 1, stderr: /another run is in progress: .*overlay join/ },
      'a join that fails names the other run',
    );
  for (const host of [n1, n2, n3])
    t.match(host.agent('overlay', 'verify'), { status: 0 }, `${host.name} is in the desired state`);
});
