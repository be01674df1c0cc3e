import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { errorTable } from '../../agent/errors.ts';
import { withChanges } from '../unit/manifests/changed-config.ts';
import { expiredName } from './api-server.ts';
import {
  changed,
  grant,
  type Outcome,
  ours,
  revoke,
  run,
  sharedApiServer,
  testWithoutManifests,
  versions,
} from './session.ts';

const server = await sharedApiServer();
if (server !== null) {
  testWithoutManifests(server);
  const exitCodeOf = ({ error }: Outcome): number | null => (error === null ? null : errorTable[error.kind].exitCode);

  t.test('invalid credentials are refused at once, each with its reason', async (t) => {
    const missing = await run(server, 'apply', { kubeconfig: join(server.folder, 'nothing-here') });
    t.match(missing.error, { kind: 'kubeconfig-unusable', message: /the kubeconfig \S+ does not exist/ });
    t.equal(exitCodeOf(missing), 2);

    const broken = join(server.folder, 'tokens.csv');
    t.match((await run(server, 'apply', { kubeconfig: broken })).error, { kind: 'kubeconfig-unusable' });

    const caFile = join(server.folder, 'foreign.crt');
    const untrusted = await run(server, 'apply', { kubeconfig: server.kubeconfig('untrusted', { caFile }) });
    t.match(untrusted.error, { kind: 'cluster-untrusted', message: /is not the one .* trusts/ });
    t.equal(exitCodeOf(untrusted), 5);

    const wrongToken = await run(server, 'apply', { kubeconfig: server.kubeconfig('stranger', { token: 'wrong' }) });
    t.match(wrongToken.error, { kind: 'cluster-refused', message: /does not accept the credentials/ });
    t.equal(exitCodeOf(wrongToken), 1);

    const certificate = (name: string) => ({
      clientCertificate: join(server.folder, `${name}.crt`),
      clientKey: join(server.folder, `${name}.key`),
    });
    const expired = await run(server, 'apply', { kubeconfig: server.kubeconfig('expired', certificate('expired')) });
    t.match(expired.error, { kind: 'cluster-refused', message: /its client certificate expired on/ });
    const valid = await run(server, 'apply', { kubeconfig: server.kubeconfig('valid', certificate('client')) });
    t.equal(valid.code, 0, 'a valid certificate is accepted');
  });

  t.test('an exec plug-in and files beside the kubeconfig work', async (t) => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: server.token },
    };
    const exec = {
      apiVersion: credential.apiVersion,
      command: 'echo',
      args: [JSON.stringify(credential)],
      interactiveMode: 'Never',
    };
    const plugIn = await run(server, 'apply', { kubeconfig: server.kubeconfig('exec', { user: { exec } }) });
    t.equal(plugIn.code, 0, plugIn.error?.message ?? '');
    const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
    const beside = await run(server, 'apply', { kubeconfig: server.kubeconfig('beside', { user, caFile: 'ca.crt' }) });
    t.equal(beside.code, 0, beside.error?.message ?? '');
    const lost = server.kubeconfig('lost', { user: { ...user, 'client-key': 'lost.key' } });
    t.match((await run(server, 'apply', { kubeconfig: lost })).error, {
      kind: 'kubeconfig-unusable',
      message: /lost\.key/,
    });
  });

  t.test("a command waits for MicroShift's own kubeconfig, which may still be missing during a boot", async (t) => {
    const { KUBECONFIG } = process.env;
    delete process.env.KUBECONFIG;
    t.teardown(() => {
      if (KUBECONFIG !== undefined) process.env.KUBECONFIG = KUBECONFIG;
    });
    const outcome = await run(server, 'apply', { kubeconfig: null, timeoutSeconds: 1 });
    t.match(outcome.error, { kind: 'kubeconfig-missing', message: /has not written .*\(waited 1 s\)/ });
    t.equal(exitCodeOf(outcome), 5);
  });

  t.test('a user without rights gets the name of the missing right, and nothing is changed', async (t) => {
    const before = await versions(server);
    const weak = await run(server, 'apply', { kubeconfig: server.kubeconfig('weak') });
    t.match(weak.error, { kind: 'cluster-refused', message: /may not list .*User "weak" cannot list/ });
    t.equal(exitCodeOf(weak), 1);
    t.same(changed(before, await versions(server)), []);
  });

  t.test('a user with only some of the rights changes nothing; the administrator can change everything', async (t) => {
    await run(server, 'apply', {});
    t.teardown(() => revoke(server, 'readers', 'writers'));
    await grant(server, 'readers', { verbs: ['get', 'list', 'watch'], resources: ['*'], apiGroups: ['*'] });
    await grant(server, 'writers', {
      verbs: ['patch', 'create'],
      resources: ['configmaps', 'serviceaccounts', 'namespaces'],
    });
    const config = withChanges(ours, { mtu: 1290 });
    const before = await versions(server);
    const half = await run(server, 'apply', { config, kubeconfig: server.kubeconfig('weak') });
    t.match(half.error, { kind: 'cluster-refused', message: /may not apply (Cluster)?Role/ });
    t.same(changed(before, await versions(server)), []);
    const whole = await run(server, 'apply', { config });
    t.equal(whole.code, 0);
    t.match((await run(server, 'apply', { config })).text, ': 0 of 13 objects touched');
  });

  t.test('a server whose certificate has expired is reported', async (t) => {
    const kubeconfig = server.kubeconfig('expired-server', { serverName: expiredName });
    const expired = await run(server, 'status', { kubeconfig, timeoutSeconds: 30 });
    t.match(expired.error, {
      kind: 'cluster-untrusted',
      message: /the certificate of the API server at .* has expired/,
    });
  });

  t.test('a command survives a crash of the server; a server that is down is reported, and awaited', async (t) => {
    t.teardown(server.restore);
    const config = withChanges(ours, { mtu: 1280 });
    for (const [delayMs, flavor] of [
      [40, 'multi-node'],
      [80, 'classic'],
    ] as const) {
      const running = run(server, 'apply', { config, flavor, timeoutSeconds: 60 });
      await pause(delayMs);
      await server.kill();
      if (flavor === 'multi-node') {
        const down = await run(server, 'diff', { config });
        t.match(down.error, { kind: 'cluster-unreachable', message: /cannot be reached: .*ECONNREFUSED/ });
        t.equal(exitCodeOf(down), 5);
        const shortPatience = await run(server, 'apply', { config, timeoutSeconds: 1 });
        t.match(shortPatience.error, { kind: 'cluster-unreachable', message: /\(waited 1 s\)/ });
        server.start();
      } else {
        const waiting = run(server, 'status', { timeoutSeconds: 60 });
        await pause(300);
        server.start();
        const { error, notes } = await waiting;
        t.equal(error, null);
        t.match(notes.join('\n'), 'cannot be reached');
      }
      const { code, error } = await running;
      t.equal(code, 0, `killed after ${delayMs} ms: ${error?.message}`);
      await server.untilReady();
      t.match((await run(server, 'apply', { config, flavor })).text, /: 0 of \d+ objects touched/);
    }
  });

  t.test('a command waits for a server that answers but is not ready', async (t) => {
    const config = withChanges(ours, { mtu: 1270 });
    t.teardown(server.restore);
    server.freezeStore();
    // The test polls, because /readyz still returns the result of its previous check for a moment.
    while ((await server.call('GET', '/readyz')).status !== 500) await pause(100);
    const shortPatience = await run(server, 'apply', { config, timeoutSeconds: 1 });
    t.match(shortPatience.error, { kind: 'cluster-not-ready', message: /is not ready: etcd.*\(waited \d s\)/ });
    t.equal(exitCodeOf(shortPatience), 5);

    const notes: string[] = [];
    const note = (line: string): void => {
      notes.push(line);
      server.thawStore();
    };
    const outcome = await run(server, 'apply', { config, timeoutSeconds: 60, note });
    t.equal(outcome.code, 0, outcome.error?.message ?? '');
    t.match(notes, [/^waiting: the API server at .* is not ready: etcd/]);
    t.match((await run(server, 'apply', { config })).text, ': 0 of 13 objects touched');
  });

  t.test('IPv6 alone, and both families', async (t) => {
    const [four, six] = [
      ['10.42.0.0/16', '10.43.0.0/16'],
      ['fd01::/48', 'fd02::/112'],
    ];
    for (const families of [[six], [four, six], [four]]) {
      const [clusterNetwork, serviceNetwork] = [0, 1].map((index) => families.map((pair) => pair?.[index]));
      const config = withChanges(ours, { cluster: { clusterNetwork, serviceNetwork } });
      t.equal((await run(server, 'apply', { config })).code, 0, clusterNetwork?.join() ?? '');
    }
  });
}
