// Annotations of pods, and Events, written to a real API server.
import t, { type Test } from 'tap';
import type { KubernetesApi, Notice } from '../../agent/drivers/kubernetes/api.ts';
import { fieldAt } from '../../agent/model/kubernetes/object.ts';
import type { Named } from '../../agent/model/workload.ts';
import { failure } from '../unit/failure.ts';
import type { ApiServer } from './api-server.ts';
import { hear, openTestApi } from './following.ts';
import { goBetween } from './go-between.ts';
import { sharedApiServer } from './session.ts';
import { createWaiting } from './waiting.ts';

const pods = '/api/v1/namespaces/default/pods';

const server = await sharedApiServer();
if (server !== null) {
  const admin = server.kubeconfig('admin');

  t.test('the pod with the given uid is annotated, and no other pod with the same name', async (t) => {
    await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    });
    const api = openTestApi(admin);
    t.teardown(api.close);
    const first = await makePod(server, 'web');
    t.equal(await api.annotate(first, { ovn: '{}', 'example.org/other': 'x' }), 'written');
    t.equal(await api.annotate(first, { 'example.org/other': null, 'example.org/more': 'ä"\\' }), 'written');
    t.strictSame(await annotationsOf(server, 'web'), { ovn: '{}', 'example.org/more': 'ä"\\' });

    await dropPod(server, 'web');
    t.equal(await api.annotate(first, { ovn: '{}' }), 'gone');
    const second = await makePod(server, 'web');
    t.equal(await api.annotate(first, { ovn: 'of the first' }), 'gone');
    t.strictSame(await annotationsOf(server, 'web'), {}, 'the second pod does not have the annotation');
    t.equal(await api.annotate(second, { ovn: 'of the second' }), 'written');
    await dropPod(server, 'web');
  });

  t.test('an annotation is written as soon as the server accepts it', async (t) => {
    const between = await goBetween(t, server);
    const api = openTestApi(server.kubeconfig('between', { server: between.server }));
    t.teardown(api.close);
    const storm = await Promise.all(Array.from({ length: 40 }, (_, index) => makePod(server, `storm-${index}`)));
    const answers = [429, 503, 500, 401];
    between.refuse(() => {
      const status = answers.shift();
      return status === undefined ? null : { status };
    });
    const outcomes = await Promise.all(storm.map((pod) => api.annotate(pod, { ovn: pod.name })));
    t.strictSame(new Set(outcomes), new Set(['written']));
    for (const { name } of storm) t.strictSame(await annotationsOf(server, name), { ovn: name });

    t.teardown(server.restore);
    await server.kill();
    const [pod = { namespace: '', name: '', uid: '' }] = storm;
    const before = between.requests.length;
    const waiting = api.annotate(pod, { ovn: 'late' });
    await between.until((requests) => requests.length > before, 'the write is repeated while no server answers');
    const giveUp = new AbortController();
    const [, other = { namespace: '', name: '', uid: '' }] = storm;
    const givenUp = api.annotate(other, { ovn: 'too late' }, giveUp.signal);
    const refused = t.rejects(givenUp, { name: 'AbortError' }, 'the cancelled write fails');
    await between.until((requests) => requests.length > before + 1, 'another write is repeated');
    giveUp.abort();
    const closed = openTestApi(admin);
    const ended = t.rejects(closed.annotate(pod, { ovn: 'never' }), { name: 'AbortError' }, 'a closed client ends');
    closed.close();
    await ended;
    server.start();
    t.equal(await waiting, 'written');
    await server.untilReady();
    t.strictSame(await annotationsOf(server, pod.name), { ovn: 'late' });
    await refused;
    t.strictSame(
      await annotationsOf(server, other.name),
      { ovn: other.name },
      'the cancelled write has not changed the annotation',
    );
  });

  t.test('a permanent refusal is an error', async (t) => {
    const pod = await makePod(server, 'refused');
    const weak = openTestApi(server.kubeconfig('weak'));
    t.teardown(weak.close);
    await t.rejects(
      weak.annotate(pod, { ovn: '{}' }),
      failure('cluster-refused', { message: /annotate pod default\/refused/ }),
    );
    const api = openTestApi(admin);
    t.teardown(api.close);
    await t.rejects(api.annotate(pod, { 'no key': '{}' }), failure('cluster-refused'));
  });

  t.test('an Event is made once, and counted', async (t) => {
    const between = await goBetween(t, server);
    const api = openTestApi(server.kubeconfig('between', { server: between.server }));
    t.teardown(api.close);
    const pod = await makePod(server, 'reported');
    const posts = () => between.requests.filter(({ method }) => method === 'POST').length;
    for (let time = 0; time < 3; time++) api.report(noticeOf(pod, 'first'));
    api.report(noticeOf(pod, 'x'.repeat(2000)));
    api.report(noticeOf({ ...pod, uid: 'another' }, 'first'));
    const made = await untilEvents(t, server, 'reported', 3);
    t.equal(posts(), 3, 'one request is sent for each object and note');
    t.match(
      made.find(({ note, regarding }) => note === 'first' && regarding.uid === pod.uid),
      {
        type: 'Warning',
        reason: 'AddressTaken',
        action: 'AssignAddress',
        reportingController: 'microshift-net',
        reportingInstance: 'n1',
        regarding: { kind: 'Pod', namespace: 'default', name: 'reported', uid: pod.uid },
      },
    );
    t.match(server.kubectl('describe', 'pod', 'reported'), /Warning +AddressTaken .*first/, 'kubectl shows the Event');

    const node = { kind: 'Node', apiVersion: 'v1', namespace: '', name: 'n1', uid: 'n1' };
    api.report({ ...noticeOf(pod, 'of a node'), regarding: node });
    t.equal(
      (await untilEvents(t, server, 'n1', 1))[0]?.metadata.namespace,
      'default',
      'the Event of an object without a namespace is in the namespace default',
    );
  });

  t.test('a repeated Event is counted, and a deleted Event is made again', async (t) => {
    const api = openTestApi(admin, { countEveryMs: 0 });
    t.teardown(api.close);
    const pod = await makePod(server, 'counted');
    const counts = createWaiting();
    const seen = new Map<string, number>();
    api.follow<{ name: string; count: number }>(
      { apiVersion: 'events.k8s.io/v1', plural: 'events', namespace: null, fieldSelector: 'regarding.name=counted' },
      {
        read: (object) => ({
          name: String(fieldAt(object, 'metadata', 'name')),
          count: Number(fieldAt(object, 'series', 'count') ?? 1),
        }),
        whole: (objects) => {
          for (const { name, count } of objects) seen.set(name, count);
          counts.look();
        },
        changes: (changes) => {
          for (const { type, object } of changes)
            if (type === 'DELETED') seen.delete(object.name);
            else seen.set(object.name, object.count);
          counts.look();
        },
        lost: (error) => t.fail(error.message),
        found: () => undefined,
      },
    );
    const until = (...expected: readonly number[]) =>
      counts.until(
        () => String([...seen.values()]) === String(expected),
        () => `${expected} are counted`,
      );
    for (let time = 0; time < 3; time++) api.report(noticeOf(pod, 'again'));
    await until(3);
    const [name = ''] = seen.keys();
    await server.call('DELETE', `/apis/events.k8s.io/v1/namespaces/default/events/${name}`);
    await until();
    api.report(noticeOf(pod, 'again'));
    await until(1);
    t.notOk(seen.has(name), 'the new Event has another name');
  });

  t.test('too many Events are omitted, which is reported once', async (t) => {
    const said: string[] = [];
    const api = openTestApi(admin, {}, (message) => said.push(message));
    t.teardown(api.close);
    const pod = await makePod(server, 'flooded');
    for (let number = 0; number < 100; number++) api.report(noticeOf(pod, `number ${number}`));
    t.strictSame(said, [], 'one namespace does not use up the budget of the cluster');
    const other = { ...pod, namespace: 'kube-system', name: 'elsewhere' };
    api.report(noticeOf(other, 'of another namespace'));
    t.equal((await untilEvents(t, server, 'elsewhere', 1)).length, 1);
    t.equal((await untilEvents(t, server, 'flooded', 10)).length, 10, 'one namespace gets ten Events at once');
    const [last] = await untilEvents(t, server, 'default', 1, 'reason=EventsLeftOut');
    t.match(last, { metadata: { namespace: 'default' }, note: /the next ones are left out/ });
    for (let number = 0; number < 100; number++)
      api.report(
        noticeOf({ ...pod, namespace: `n${number}`, name: 'everywhere', uid: `uid-${number}` }, 'one of each'),
      );
    t.strictSame(said, ['more goes wrong in the cluster than Events are made of; some are left out']);
  });

  t.test('an account without the right to make Events is reported once', async (t) => {
    const said: string[] = [];
    let heard: () => void = () => undefined;
    const once = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const api: KubernetesApi = openTestApi(server.kubeconfig('weak'), {}, (message) => {
      said.push(message);
      heard();
    });
    t.teardown(api.close);
    const pod = await makePod(server, 'untold');
    api.report(noticeOf(pod, 'one'));
    await once;
    api.report(noticeOf(pod, 'two'));
    await t.rejects(api.annotate(pod, { ovn: '{}' }), failure('cluster-refused'), 'the client still works');
    t.equal(said.length, 1);
    t.match(said[0], /may not make an Event/);
  });
}

interface EventObject {
  readonly metadata: { readonly namespace: string };
  readonly note: string;
  readonly regarding: { readonly name: string; readonly uid: string };
}

/**
 * Waits until an object has at least `count` Events that the field selector `more` matches, and returns these Events.
 */
async function untilEvents(
  t: Test,
  api: ApiServer,
  name: string,
  count: number,
  more = 'reason!=EventsLeftOut',
): Promise<readonly EventObject[]> {
  const events = { apiVersion: 'events.k8s.io/v1', plural: 'events', namespace: null };
  const watcher = openTestApi(api.kubeconfig('admin'));
  t.teardown(watcher.close);
  const heard = hear(watcher, { ...events, fieldSelector: `regarding.name=${name},${more}` });
  await heard.until(({ names }) => names.size >= count, `there are ${count} Events of ${name}`);
  return (
    await api.call(
      'GET',
      `/apis/events.k8s.io/v1/events?fieldSelector=${encodeURIComponent(`regarding.name=${name},${more}`)}`,
    )
  ).body.items;
}

function noticeOf(pod: Named, note: string): Notice {
  const regarding = { apiVersion: 'v1', kind: 'Pod', ...pod };
  return { regarding, type: 'Warning', reason: 'AddressTaken', action: 'AssignAddress', note };
}

async function makePod(api: ApiServer, name: string): Promise<Named> {
  const spec = { nodeName: 'n1', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'none' }] };
  const { status, body } = await api.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  if (status !== 201) throw new Error(`pod ${name}: ${status} ${JSON.stringify(body)}`);
  return { namespace: 'default', name, uid: body.metadata.uid };
}

async function dropPod(api: ApiServer, name: string): Promise<void> {
  // The pod has no grace period, because no kubelet is running that could report its end.
  await api.call('DELETE', `${pods}/${name}?gracePeriodSeconds=0`);
}

async function annotationsOf(api: ApiServer, name: string): Promise<unknown> {
  return (await api.call('GET', `${pods}/${name}`)).body.metadata.annotations ?? {};
}
