import t from 'tap';
import type { Follower, KubernetesApi } from '../../../../../agent/drivers/kubernetes/api.ts';
import { AgentError } from '../../../../../agent/errors.ts';
import { kinds } from '../../../../../agent/run/overlay/watcher/followed-kinds.ts';
import { followObjects } from '../../../../../agent/run/overlay/watcher/objects.ts';

/** Follows all objects of an API whose reports the test controls; `news` returns what was heard since its last call. */
function reported() {
  const followers = new Map<string, Follower<unknown>>();
  const api: Pick<KubernetesApi, 'follow'> = {
    follow: ({ plural }, follower) => {
      followers.set(plural, follower as Follower<unknown>);
      return () => void followers.delete(plural);
    },
  };
  const heard: unknown[] = [];
  const objects = followObjects(api, {
    whole: () => void heard.push('whole'),
    changed: (changes) => {
      for (const { kind, before, now } of changes)
        heard.push(`${kind} ${before === undefined ? '+' : now === undefined ? '-' : '~'}${(now ?? before)?.name}`);
    },
    allowed: () => void heard.push('allowed'),
    heard: (error) => void heard.push(error?.message ?? 'heard'),
  });
  const of = (plural: string): Follower<unknown> => {
    const follower = followers.get(plural);
    if (follower === undefined) throw new Error(`${plural} are not followed`);
    return follower;
  };
  const pod = (name: string, labels = {}): unknown =>
    of('pods').read({ metadata: { namespace: 'default', name, uid: name, labels } });
  return { of, pod, objects, heard, followers, news: () => heard.splice(0) };
}

const plurals = kinds.map(({ collection }) => collection.plural);

t.test('nothing is reported before every kind is listed completely', async (t) => {
  const { of, pod, objects, news } = reported();
  await of('pods').whole([pod('a')]);
  of('pods').changes([{ type: 'ADDED', object: pod('b') }]);
  for (const plural of plurals.filter((one) => one !== 'pods' && one !== 'services')) await of(plural).whole([]);
  t.strictSame([objects.isWhole, news()], [false, []]);
  await of('services').whole([]);
  t.strictSame([objects.isWhole, news()], [true, ['whole']], 'the complete lists are reported once');
  t.strictSame([...objects.workload.pods.keys()], ['default/a', 'default/b']);
});

t.test('changes, and a second complete list', async (t) => {
  const { of, pod, objects, news } = reported();
  for (const plural of plurals) await of(plural).whole([]);
  news();
  const [a, b] = [pod('a'), pod('b')];
  of('pods').changes([
    { type: 'ADDED', object: a },
    { type: 'ADDED', object: b },
    { type: 'MODIFIED', object: pod('a') },
    { type: 'MODIFIED', object: pod('b', { app: 'web' }) },
  ]);
  t.strictSame(news(), ['Pod +a', 'Pod +b', 'Pod ~b'], 'unchanged objects are not reported');
  await of('pods').whole([pod('b', { app: 'web' }), pod('c')]);
  t.strictSame(news(), ['Pod -a', 'Pod +c'], 'a second list reports only differences');
  of('pods').changes([
    { type: 'DELETED', object: pod('c') },
    { type: 'DELETED', object: pod('c') },
  ]);
  t.strictSame(news(), ['Pod -c']);
  t.strictSame([...objects.workload.pods.keys()], ['default/b']);
});

t.test('an API server that cannot be reached', async (t) => {
  const { of, objects, followers, news } = reported();
  for (const plural of plurals) await of(plural).whole([]);
  news();
  const away = new AgentError('cluster-unreachable', 'away', { hint: 'start it' });
  of('pods').lost(away);
  of('services').lost(away);
  of('pods').found();
  t.strictSame(news(), ['away', 'away', 'away'], 'the loss is reported while one kind is not followed');
  of('services').found();
  of('namespaces').found();
  t.strictSame(news(), ['heard']);
  objects.close();
  t.equal(followers.size, 0);
});

t.test('an API server that refuses an optional kind', async (t) => {
  const { of, objects, news } = reported();
  const optional = 'clusternetworkpolicies';
  for (const plural of plurals.filter((one) => one !== optional)) await of(plural).whole([]);
  of(optional).lost(new AgentError('cluster-unreachable', 'away', { hint: 'start it' }));
  t.strictSame([objects.isWhole, news()], [false, ['away']], 'an unreachable server says nothing about the kind');
  of(optional).lost(new AgentError('cluster-refused', 'refused', { hint: 'apply the file' }));
  t.strictSame([objects.isWhole, news()], [true, ['refused', 'whole']], 'all other kinds are followed');
  t.ok(objects.workload.unread?.has('ClusterNetworkPolicy'));
  of(optional).found();
  await of(optional).whole([of(optional).read({ metadata: { name: 'a' } })]);
  t.strictSame(news(), ['heard', 'allowed', 'ClusterNetworkPolicy +a'], 'all rows are compared when it is allowed');
  t.notOk(objects.workload.unread?.has('ClusterNetworkPolicy'));
  of(optional).lost(new AgentError('cluster-refused', 'refused', { hint: 'apply the file' }));
  t.strictSame([...objects.workload.clusterPolicies.keys()], ['a'], 'known policies are kept after a later refusal');
});
