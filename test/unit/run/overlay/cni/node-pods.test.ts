import t from 'tap';
import type { Follower, KubernetesApi } from '../../../../../agent/drivers/kubernetes/api.ts';
import { followNodePods } from '../../../../../agent/run/overlay/cni/node-pods.ts';

const network = JSON.stringify({
  default: { ip_addresses: ['10.42.1.3/24'], mac_address: '0a:58:0a:2a:01:03', gateway_ips: ['10.42.1.1'] },
});

/** Returns an API without a server, and functions with which a test reports pods. */
function playedApi() {
  let follower: Follower<unknown> | undefined;
  const api: Pick<KubernetesApi, 'follow'> = {
    follow: (_, asked) => {
      follower = asked as Follower<unknown>;
      return () => undefined;
    },
  };
  const read = ({ name, uid, has }: Said): unknown => {
    const annotations = has ? { 'k8s.ovn.org/pod-networks': network, 'microshift-net/address-of': uid } : {};
    return follower?.read({ metadata: { namespace: 'web', name, uid, annotations } });
  };
  return {
    api,
    whole: (...pods: Said[]) => follower?.whole(pods.map(read)),
    change: (type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Said) => follower?.changes([{ type, object: read(pod) }]),
  };
}

interface Said {
  readonly name: string;
  readonly uid: string;
  readonly has?: boolean;
}

const asked = { namespace: 'web', name: 'a', uid: 'u1' };
const never = new AbortController().signal;

t.test('a pod that has its addresses, or gets them during the wait', async (t) => {
  const { api, whole, change } = playedApi();
  const pods = followNodePods(api, 'n1', () => undefined);
  t.equal(pods.isKnown, false);
  await t.rejects(pods.addressed(asked, 0, never), { code: 11, message: /has not listed the pods/ });
  const waiting = pods.addressed(asked, 60_000, never);
  await whole();
  t.equal(pods.isKnown, true);
  await t.rejects(pods.addressed(asked, 0, never), { code: 11, message: /has no pod web\/a/ });
  change('ADDED', { name: 'a', uid: 'u1' });
  await t.rejects(pods.addressed(asked, 0, never), { code: 11, message: /has no address yet/ });
  change('MODIFIED', { name: 'a', uid: 'u1', has: true });
  t.match(await waiting, { uid: 'u1', network: { addresses: ['10.42.1.3/24'] } });
  t.match(await pods.addressed({ ...asked, uid: null }, 60_000, never), { uid: 'u1' });
});

t.test('a pod with the name of an earlier pod', async (t) => {
  const { api, whole, change } = playedApi();
  const pods = followNodePods(api, 'n1', () => undefined);
  await whole({ name: 'a', uid: 'u0', has: true });
  await t.rejects(pods.addressed(asked, 0, never), { code: 11, message: /was created again, with the uid u0/ });
  const waiting = pods.addressed(asked, 60_000, never);
  change('ADDED', { name: 'a', uid: 'u1', has: true });
  change('DELETED', { name: 'a', uid: 'u0', has: true });
  t.match(await waiting, { uid: 'u1' });
  t.match(
    await pods.addressed(asked, 60_000, never),
    { uid: 'u1' },
    'a late event of the old pod does not remove the new one',
  );
  await whole({ name: 'b', uid: 'u2', has: true });
  await t.rejects(
    pods.addressed(asked, 0, never),
    { message: /has no pod/ },
    'a pod that a list does not contain is removed',
  );
});

t.test('a runtime that no longer waits', async (t) => {
  const { api, whole } = playedApi();
  const pods = followNodePods(api, 'n1', () => undefined);
  await whole();
  const stop = new AbortController();
  const waiting = pods.addressed(asked, 60_000, stop.signal);
  stop.abort(new Error('gone'));
  await t.rejects(waiting, { message: 'gone' });
});
