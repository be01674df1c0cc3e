// Changes of objects that a daemon reports while the API server, or the connection to the API server, fails.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Collection } from '../../agent/model/kubernetes/object.ts';
import type { ApiServer } from './api-server.ts';
import { hear, openTestApi } from './following.ts';
import { goBetween } from './go-between.ts';
import { grant, revoke, sharedApiServer } from './session.ts';

const server = await sharedApiServer();
if (server !== null) {
  const admin = server.kubeconfig('admin');

  t.test('a follower gets first all objects, page by page, and then each change in its order', async (t) => {
    const { maps, put, remove } = await newNamespace(server, 'changes');
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await put(name, '1');
    const between = await goBetween(t, server);
    const api = openTestApi(server.kubeconfig('between', { server: between.server }));
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ names }) => names.has('g'), 'all changes are reported');
    t.strictSame(heard.log, ['whole a b c d e f g']);
    const lists = between.requests.filter(({ url }) => url.searchParams.has('limit'));
    t.equal(lists.length, 3, 'seven objects in pages of three');

    await put('h', '1');
    await put('h', '2');
    await remove('a');
    await heard.until(({ names }) => !names.has('a'), 'the last change is reported');
    t.strictSame(heard.log.slice(1), ['ADDED h', 'MODIFIED h', 'DELETED a']);
    t.equal(heard.values.get('h'), '2');

    heard.stop();
    await put('i', '1');
    const other = hear(api, { ...maps, fieldSelector: 'metadata.name=i' });
    await other.until(({ names }) => names.has('i'), 'the selected object is reported');
    t.strictSame(other.log, ['whole i'], 'only the selected object is reported');
    t.notOk(
      heard.log.some((line) => line.endsWith(' i')),
      'a stopped follower reports nothing',
    );
  });

  t.test('the Events of one namespace are limited, and those of another namespace are made', async (t) => {
    const [noisy, quiet] = ['noisy', 'quiet'];
    for (const name of [noisy, quiet]) await newNamespace(server, name);
    const api = openTestApi(admin);
    t.teardown(api.close);
    const report = (namespace: string, number: number): void =>
      api.report({
        regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: `p${number}`, uid: `uid-${namespace}-${number}` },
        type: 'Warning',
        reason: 'AddressTaken',
        action: 'Assign',
        note: `fault ${number}`,
      });
    for (let number = 0; number < 100; number += 1) report(noisy, number);
    report(quiet, 0);
    const eventsOf = (namespace: string): Collection => ({
      apiVersion: 'events.k8s.io/v1',
      plural: 'events',
      namespace,
    });
    // The Event of the other namespace is reported last, and Events are made one after the other.
    await hear(api, eventsOf(quiet)).until(({ names }) => names.size > 0, 'the Event of the other namespace exists');
    const { body } = await server.call('GET', `/apis/events.k8s.io/v1/namespaces/${noisy}/events`);
    const made = (body.items as readonly { reason: string; note: string }[]).map(({ reason, note }) =>
      reason === 'AddressTaken' ? note : reason,
    );
    t.strictSame(
      made.toSorted(),
      ['EventsLeftOut', ...Array.from({ length: 10 }, (_, number) => `fault ${number}`)],
      'the first ten Events are made, and one that reports the others',
    );
  });

  t.test('objects that are too long for one page are read in shorter pages', async (t) => {
    const { maps, put } = await newNamespace(server, 'long');
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const name of names) await put(name, name.repeat(900_000));
    const between = await goBetween(t, server);
    const api = openTestApi(server.kubeconfig('between', { server: between.server }), { pageSize: 200 });
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until((all) => all.names.has('h'), 'all changes are reported');
    t.match(heard.log[0], new RegExp(`^whole .*${names.join(' ')}$`));
    const sizes = between.requests.flatMap(({ url }) => url.searchParams.get('limit') ?? []);
    t.strictSame(
      sizes,
      ['200', '40', '8', '1', ...names.slice(1).map(() => '1')],
      'no page of 4 MiB is parsed in one piece',
    );
  });

  t.test('a watch that has reached its time limit continues at the last bookmark', async (t) => {
    const { maps, put } = await newNamespace(server, 'again');
    const other = await newNamespace(server, 'elsewhere');
    const between = await goBetween(t, server);
    // The watch lasts four seconds, because the server sends a bookmark two seconds before it ends a watch.
    const api = openTestApi(server.kubeconfig('between', { server: between.server }), { watchSeconds: 4 });
    t.teardown(api.close);
    await put('a', '1');
    const heard = hear(api, maps);
    await heard.until(({ names }) => names.has('a'), 'all objects are reported');
    // The server sends no bookmark if all changes were before the watch.
    await between.until(
      (requests) => requests.some(({ url, isAnswered }) => isAnswered && url.searchParams.has('watch')),
      'the watch has begun',
    );
    for (const name of ['x', 'y', 'z']) await other.put(name, '1');
    const versions = (): number[] =>
      between.requests
        .filter(({ url }) => url.searchParams.has('watch'))
        .map(({ url }) => Number(url.searchParams.get('resourceVersion')));
    await between.until(() => versions().length > 1, 'a second watch is opened');
    t.ok(
      Number(versions()[1]) > Number(versions()[0]),
      'the second watch begins at a later version, although no object has changed',
    );
    t.strictSame(heard.log, ['whole a'], 'no change is reported');
  });

  t.test('a silent or broken connection is renewed, and no change is reported', async (t) => {
    const { maps, put } = await newNamespace(server, 'silent');
    await put('a', '1');
    const between = await goBetween(t, server);
    const api = openTestApi(server.kubeconfig('between', { server: between.server }), { silenceMs: 1_500 });
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ names }) => names.has('a'), 'all objects are reported');
    await between.until((requests) => requests.some(({ url }) => url.searchParams.has('watch')), 'the watch has begun');
    between.silence();
    await put('b', '1');
    between.speak();
    await heard.until(({ names }) => names.has('b'), 'the change during the silence is reported');

    between.cut();
    await put('c', '1');
    await heard.until(({ names }) => names.has('c'), 'the change after the cut is reported');
    t.strictSame(
      heard.log,
      ['whole a', 'ADDED b', 'ADDED c'],
      'each change is reported once, and the objects were listed once',
    );
  });

  t.test('no change is lost if the server ends, or has forgotten a version', async (t) => {
    t.teardown(server.restore);
    const { maps, put, remove } = await newNamespace(server, 'forgotten');
    for (const name of ['a', 'b']) await put(name, '1');
    const between = await goBetween(t, server);
    const api = openTestApi(server.kubeconfig('between', { server: between.server }));
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ names }) => names.has('b'), 'all objects are reported');
    const direct = openTestApi(admin);
    t.teardown(direct.close);
    const known = await newNamespace(server, 'killed');
    const heardDirectly = hear(direct, known.maps);

    between.refuse(() => ({ status: 503 }));
    between.cut();
    await heard.until(({ log }) => log.includes('lost cluster-not-ready'), 'the loss is reported');
    await remove('a');
    await put('b', '2');
    await put('c', '1');
    await server.compactStore();
    await known.put('a', '1');
    await heardDirectly.until(({ names }) => names.has('a'), 'the last version is known');
    // The API server is restarted, because its cache keeps old versions longer than etcd.
    await server.kill();
    await heardDirectly.until(
      ({ log }) => log.includes('lost cluster-unreachable'),
      'the end of the server is reported',
    );
    server.start();
    await server.untilReady();
    const before = between.requests.length;
    between.refuse(null);
    await heard.until(({ names }) => names.has('c'), 'the missed change is reported');
    const kinds = between.requests.slice(before).map(({ url }) => (url.searchParams.has('watch') ? 'watch' : 'list'));
    t.strictSame(
      kinds.slice(0, 2),
      ['watch', 'list'],
      'the watch is tried again at its last version, and then all objects are listed',
    );
    t.strictSame(heard.log, ['whole a b', 'lost cluster-not-ready', 'found', 'whole b c']);
    t.strictSame(
      [...heard.values],
      [
        ['b', '2'],
        ['c', '1'],
      ],
    );

    await known.put('b', '1');
    await heardDirectly.until(
      ({ log, names }) => log.includes('found') && names.has('b'),
      'the return and the change are reported',
    );
    const lost = heardDirectly.log.filter((line) => line.startsWith('lost'));
    t.strictSame(
      lost.filter((line, index) => line === lost[index - 1]),
      [],
      'a reason is reported once',
    );
    t.equal(heardDirectly.log.filter((line) => line === 'found').length, 1);
  });

  t.test('a server that hangs is reported as lost, and as found when it continues', async (t) => {
    const { maps, put } = await newNamespace(server, 'hangs');
    await put('a', '1');
    const api = openTestApi(admin, { answerMs: 500 });
    t.teardown(api.close);
    t.teardown(server.restore);
    server.freezeStore();
    const heard = hear(api, maps);
    await heard.until(({ log }) => log.length > 0, 'the loss is reported').finally(server.thawStore);
    t.strictSame(heard.log, ['lost cluster-unreachable']);
    await heard.until(({ log }) => log.includes('found'), 'the return is reported');
    t.strictSame(heard.log, ['lost cluster-unreachable', 'whole a', 'found']);
  });

  t.test('the follower waits for as long as a busy server requests', async (t) => {
    const { maps, put } = await newNamespace(server, 'busy');
    await put('a', '1');
    const between = await goBetween(t, server);
    const order: string[] = [];
    between.refuse(() => {
      order.push('request');
      if (between.requests.length > 2) return null;
      // This timer starts before the pause of the follower, and is shorter.
      setTimeout(() => order.push('end of the pause'), 900);
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    const api = openTestApi(server.kubeconfig('between', { server: between.server }));
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ log }) => log.includes('found'), 'the return is reported');
    t.strictSame(heard.log, ['lost cluster-not-ready', 'whole a', 'found']);
    const refusal = ['request', 'end of the pause'];
    t.strictSame(order.slice(0, 5), [...refusal, ...refusal, 'request']);
  });

  t.test('credentials are read again, also from a kubeconfig that is written later', async (t) => {
    const { maps, put } = await newNamespace(server, 'credentials');
    await put('a', '1');
    const path = server.kubeconfig('changing', { token: 'wrong' });
    const api = openTestApi(path);
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ log }) => log.length > 0, 'the token is refused');
    t.strictSame(heard.log, ['lost cluster-refused']);
    server.kubeconfig('changing');
    await heard.until(({ log }) => log.includes('found'), 'the new token is used');
    writeFileSync(path, 'half a kube');
    await put('b', '1');
    await heard.until(({ names }) => names.has('b'), 'changes are reported while the kubeconfig is incomplete');
    t.strictSame(heard.log, ['lost cluster-refused', 'whole a', 'found', 'ADDED b']);

    rmSync(path);
    // The follower repeats its request only after an hour, unless wake() is called.
    const patient = openTestApi(path, { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 });
    t.teardown(patient.close);
    const late = hear(patient, maps);
    await late.until(({ log }) => log.length > 0, 'there is no kubeconfig');
    t.strictSame(late.log, ['lost kubeconfig-unusable']);
    server.kubeconfig('changing');
    patient.wake();
    await late.until(({ log }) => log.includes('found'), 'wake() ends the pause of the follower');
    t.strictSame(late.log, ['lost kubeconfig-unusable', 'whole a b', 'found']);
  });

  t.test('an account without the right to list reports this, and lists as soon as it has the right', async (t) => {
    const { maps, put } = await newNamespace(server, 'forbidden');
    await put('a', '1');
    const api = openTestApi(server.kubeconfig('weak'));
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ log }) => log.length > 0, 'the refusal is reported');
    t.teardown(() => revoke(server, 'lookers'));
    await grant(server, 'lookers', { verbs: ['get', 'list', 'watch'], resources: ['configmaps'] });
    await heard.until(({ log }) => log.includes('found'), 'the follower asks again');
    t.strictSame(heard.log, ['lost cluster-refused', 'whole a', 'found']);
  });

  t.test('a kubeconfig that names another authority may be of another cluster', async (t) => {
    const { maps, put } = await newNamespace(server, 'authority');
    await put('a', '1');
    const path = server.kubeconfig('moving');
    const api = openTestApi(path);
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ names }) => names.has('a'), 'all objects are reported');
    await put('b', '1');
    await heard.until(({ names }) => names.has('b'), 'the watch reports the change');
    const caFile = join(server.folder, 'two.crt');
    writeFileSync(caFile, readFileSync(join(server.folder, 'ca.crt'), 'utf8').repeat(2));
    server.kubeconfig('moving', { caFile });
    api.wake();
    await heard.until(({ log }) => log.length > 2, 'all objects are reported again');
    t.strictSame(heard.log, ['whole a', 'ADDED b', 'whole a b']);
  });

  t.test('all objects are listed again from a new server, or a server that was restored from a backup', async (t) => {
    t.teardown(server.restore);
    const { maps, put } = await newNamespace(server, 'restored');
    // A new server writes fewer versions at its first start, so that its versions are below the former ones.
    await server.writeVersions(600);
    await put('a', '1');
    const api = openTestApi(admin);
    t.teardown(api.close);
    const heard = hear(api, maps);
    await heard.until(({ names }) => names.has('a'), 'all objects are reported');
    await server.loseStore();
    await server.untilReady();
    await (await newNamespace(server, 'restored')).put('b', '1');
    await heard.until(({ names }) => names.has('b'), 'the present object is reported');
    t.strictSame([...heard.names], ['b'], 'no other object is reported');
    t.ok(heard.log.indexOf('found') > 0, 'the return is reported');
  });
}

/** Creates a namespace, whose ConfigMaps are the collection, and returns functions that change them. */
async function newNamespace(api: ApiServer, name: string) {
  await api.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const path = `/api/v1/namespaces/${name}/configmaps`;
  const maps: Collection = { apiVersion: 'v1', plural: 'configmaps', namespace: name };
  const checked = async (method: string, to: string, body?: unknown): Promise<void> => {
    const { status } = await api.call(method, to, body, 'application/apply-patch+yaml');
    if (status >= 300) throw new Error(`${method} ${to}: ${status}`);
  };
  return {
    maps,
    put: (one: string, value: string) =>
      checked('PATCH', `${path}/${one}?fieldManager=test`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: one },
        data: { value },
      }),
    remove: (one: string) => checked('DELETE', `${path}/${one}`),
  };
}
