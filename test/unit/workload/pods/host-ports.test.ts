// A pod that requests a port of its node gets an Event, because the overlay does not forward such ports.
import t from 'tap';
import { noticesOfHostPorts } from '../../../../agent/run/overlay/watcher/notices.ts';
import { readPod } from '../../../../agent/workload/pods/read-pod.ts';
import { podOf } from './paper-pods.ts';

const ports = [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }, { containerPort: 82, hostPort: 0 }];
const read = (spec: object) => readPod({ spec: { containers: [{ ports }], ...spec } }).hostPorts;

t.test('the host ports of a pod are those of all containers that run at the same time', (t) => {
  const initContainers = [
    { ports: [{ containerPort: 1, hostPort: 1001 }], restartPolicy: 'Always' },
    { ports: [{ containerPort: 2, hostPort: 1002 }] },
  ];
  t.strictSame(read({ initContainers }), [8080, 1001], 'ports of an ordinary init container are not counted');
  t.equal(read({ hostNetwork: true }), undefined, 'a pod in the network of its node has no host ports');
  t.notOk('hostPorts' in readPod({ spec: { containers: [{ ports: [{ containerPort: 80 }] }] } }));
  t.end();
});

t.test('one Event names an alternative to all host ports of a pod', (t) => {
  t.match(noticesOfHostPorts(podOf('a', { hostPorts: [8080, 8443] })), [
    {
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'a', uid: 'uid-of-a' },
      type: 'Warning',
      reason: 'HostPortNotServed',
      note: /^hostPort 8080, 8443 is not served .* NodePort or LoadBalancer, or hostNetwork$/,
    },
  ]);
  const many = Array.from({ length: 2_000 }, (_, index) => 10_000 + index);
  t.ok(noticesOfHostPorts(podOf('a', { hostPorts: many })).every(({ note }) => note.length <= 1024));
  t.strictSame(noticesOfHostPorts(podOf('a')), []);
  t.strictSame(noticesOfHostPorts(podOf('a', { isOver: true, hostPorts: [8080] })), []);
  t.end();
});
