// Rows for objects of Kubernetes in a real ovsdb-server: batches, refusals, races, two writers, and a lost database.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { assertLock, connect, deleteRows, type MirrorRow, mutate, uuid } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { exposure, gatewayOf, modern, nodeOf } from '../unit/overlay/cluster.ts';
import { ownRelease, type Release } from './releases.ts';
import { podOn } from './stored-api.ts';
import { nodes, type WorkloadBed, workloadBed } from './workload-bed.ts';

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else all();

const isActive = ({ role }: { readonly role: string }): boolean => role === 'active';

function podsOn(count: number): ReturnType<typeof podOn>[] {
  return Array.from({ length: count }, (_, index) => podOn(`n${1 + (index % 3)}`, `web-${index}`));
}

/** Waits until all earlier changes are written, which the row of a later pod shows. */
async function passed(bed: WorkloadBed, name: string): Promise<void> {
  bed.api.put('pods', podOn('n1', name));
  await bed.until(() => bed.port(name) !== undefined);
}

function annotation(bed: WorkloadBed, pod: string): string {
  return bed.api.get('pods', `default/${pod}`)?.metadata.annotations?.['k8s.ovn.org/pod-networks'] ?? '';
}

function all(): void {
  t.test('pods are created, moved and removed', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until } = bed;
    const { reported } = bed.watch();
    await reported(isActive);
    api.put('pods', podOn('n1', 'a'), podOn('n2', 'b'), podOn('elsewhere', 'c'));
    await until(() => port('a') !== undefined && port('b') !== undefined);
    t.match(port('a'), { addresses: '0a:58:0a:2a:01:03 10.42.1.3' });
    t.match(annotation(bed, 'a'), /"ip_addresses":\["10\.42\.1\.3\/24"\]/);
    t.equal(port('c'), undefined, 'a pod on a node that is not a member has no row');

    const uidOf = (): string => JSON.stringify(port('a')?.options);
    const before = uidOf();
    api.remove('pods', 'default/a');
    api.put('pods', podOn('n1', 'a'));
    await until(() => uidOf() !== before && port('a') !== undefined);
    t.match(uidOf(), api.get('pods', 'default/a')?.metadata.uid, 'a new pod with the same name gets the row');
    api.put('pods', podOn('n3', 'a'));
    await until(() => /10\.42\.3\./.test(JSON.stringify(port('a')?.addresses)));
    t.pass('a new pod on another node gets an address of that node');

    const over = { ...podOn('n1', 'job'), status: { phase: 'Succeeded' } };
    api.put('pods', podOn('n1', 'job', over.metadata));
    await until(() => port('job') !== undefined);
    api.put('pods', over);
    await until(() => port('job') === undefined);
    t.pass('a completed pod has no row');
    api.remove('pods', 'default/a', 'default/b');
    await until(() => port('a') === undefined && port('b') === undefined);
  });

  t.test('nodes of Kubernetes that have not joined', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { watcher, reported } = bed.watch();
    const isSo = (outside: string) => reported(({ nodesOutside }) => String(nodesOutside) === outside);
    await reported(isActive);
    await passed(bed, 'before');
    bed.writes();
    bed.api.put('nodes', ...['n1', 'n4', 'n5'].map((name) => ({ metadata: { name, uid: `uid-of-${name}` } })));
    await isSo('n4,n5');
    watcher.know({ layout: modern, nodes: [...nodes, nodeOf(4)], exposure });
    await isSo('n5');
    bed.api.remove('nodes', 'n5');
    await isSo('');
    t.equal(bed.writes(), 0, 'no row depends on nodes that have not joined');
  });

  t.test('services where gateways change', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { watcher, reported } = bed.watch();
    await reported(isActive);
    const serviceOf = (name: string, spec: object) => ({
      metadata: { namespace: 'default', name, uid: `uid-of-${name}` },
      spec: { clusterIPs: ['10.43.0.80'], ...spec },
    });
    const ports = [{ port: 80, protocol: 'TCP', nodePort: 30080 }];
    bed.api.put(
      'services',
      serviceOf('inside', { clusterIPs: ['10.43.0.81'], ports: [{ port: 80, protocol: 'TCP' }] }),
    );
    bed.api.put('services', serviceOf('web', { type: 'NodePort', externalIPs: ['203.0.113.9'], ports }));
    await passed(bed, 'before');
    const members = (...gateways: readonly (OverlayNode['gateway'] | 'none')[]): void => {
      const all = gateways.map((gateway, index) =>
        gateway === 'none' ? nodeOf(index + 1, { hostAddresses: [] }) : nodeOf(index + 1, { gateway }),
      );
      watcher.know({ layout: modern, nodes: all, exposure });
    };
    const news = (): string =>
      bed.api.notices
        .splice(0)
        .map(({ regarding, reason, note }) => `${regarding.name} ${reason} ${note}`)
        .join('\n');
    const [own, shared] = [gatewayOf(1), gatewayOf(2, { isVip: true, addresses: ['192.0.2.100/24'] })];
    t.equal(news(), '', 'NodePorts answer at every node');
    members(own, 'none');
    t.match(news(), /^web NotServed NodePorts do not answer at members that are not gateways .*$/);
    members(own, 'none', 'none');
    t.equal(news(), '', 'another member without a gateway causes no Event');
    members(own, shared, 'none');
    t.match(news(), /^web NotServed NodePorts do not answer at 192\.0\.2\.100, which several gateways .*$/);
    members(null, shared, 'none');
    t.match(
      news(),
      /^web NotServed 203\.0\.113\.9 is served inside of the cluster only, .*$/,
      'without a gateway of a single node, the external address is not served outside',
    );
    members(null, shared, shared);
    t.equal(news(), '', 'a reason that has ended causes no Event');
    members(own, 'none');
    t.match(
      news(),
      /^web NotServed NodePorts do not answer at members .*$/,
      'a reason that returns causes another Event',
    );
    watcher.know({ layout: modern, nodes, exposure });
    t.equal(news(), '');
  });

  t.test('many new pods cause few transactions, and a restart none', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until, writes, rows } = bed;
    const pods = podsOn(500);
    const first = bed.watch();
    await first.reported(isActive);
    await passed(bed, 'first');
    writes();
    api.put('pods', ...pods);
    await until(() => pods.every(({ metadata }) => port(metadata.name) !== undefined));
    const count = writes();
    t.equal(count, 6, 'six transactions, each with at most 99 pods and the address set of their namespace');
    t.equal(api.annotated(), 501, 'each pod is annotated once');
    const ports = rows('Logical_Switch_Port').filter(({ name }) => String(name).startsWith('default_'));
    const addresses = ports.map(({ addresses: all }) => JSON.stringify(all));
    t.equal(new Set(addresses).size, addresses.length, 'no two pods have the same address');

    await first.watcher.close();
    const before = everyRow(bed);
    writes();
    api.put('pods', podOn('n1', 'second'));
    const second = bed.watch();
    await second.reported(isActive);
    await until(() => port('second') !== undefined);
    t.equal(writes(), 1, 'one transaction has the port of the pod and the address set of its namespace');
    t.strictSame(
      [...everyRow(bed)]
        .filter((row) => !before.has(row))
        .map(titleOfRow)
        .toSorted(),
      ['Namespace default v4', 'default_second', 'n1'],
      'every row that the pod does not need is untouched',
    );
    t.equal(api.annotated(), 502, 'only the new pod is annotated');
  });

  t.test('a watcher ends between a row and its annotation, or between an annotation and its row', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until } = bed;
    const first = bed.watch();
    await first.reported(isActive);
    api.put('pods', podOn('n1', 'annotated'));
    await until(() => annotation(bed, 'annotated') !== '' && port('annotated') !== undefined);
    api.holdAnnotations();
    api.put('pods', podOn('n1', 'only-row'));
    await until(() => port('only-row') !== undefined);
    t.equal(annotation(bed, 'only-row'), '');
    const had = [port('annotated')?.addresses, port('only-row')?.addresses];
    await first.watcher.close();
    // The row of one pod is deleted, as if it had never been written.
    await remove(bed, 'annotated');
    await until(() => port('annotated') === undefined);

    api.allowAnnotations();
    const second = bed.watch();
    await second.reported(isActive);
    await until(() => port('annotated') !== undefined && annotation(bed, 'only-row') !== '');
    t.strictSame(
      [port('annotated')?.addresses, port('only-row')?.addresses],
      had,
      'each pod has the address that it had before',
    );
  });

  t.test('a refused row does not delay any other row', async (t) => {
    const bed = await workloadBed(t, withShortNames(t, ownRelease()));
    const { api, port, until } = bed;
    const { reported, state } = bed.watch();
    await reported(isActive);
    const bad = podOn('n2', `too-long-${'x'.repeat(60)}`);
    api.put('pods', ...podsOn(100), bad, podOn('n3', 'last'));
    await until(() => port('last') !== undefined && port('web-99') !== undefined);
    await reported(({ refused }) => refused.length > 0);
    t.strictSame(state()?.refused, [`pod:default/${bad.metadata.name}`]);
    t.match(api.notices, [{ regarding: { kind: 'Pod', name: bad.metadata.name }, reason: 'Refused' }]);
    t.match(state()?.failure?.message, /constraint violation/);
    await passed(bed, 'later');
    api.remove('pods', `default/${bad.metadata.name}`);
    await reported(({ refused, failure }) => refused.length === 0 && failure === null);
    t.pass('the refusal ends with the deletion of the pod');
  });

  t.test('a pod asks for the address of another one', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until } = bed;
    await bed.watch().reported(isActive);
    const asking = { 'microshift-net/ip-address': '10.42.1.77' };
    api.put('pods', podOn('n1', 'one', { annotations: asking }), podOn('n1', 'two', { annotations: asking }));
    await passed(bed, 'other');
    t.match(port('one'), { addresses: /10\.42\.1\.77$/ });
    t.equal(port('two'), undefined);
    t.match(api.notices, [{ regarding: { kind: 'Pod', name: 'two' }, reason: 'AddressTaken' }]);
    api.remove('pods', 'default/one');
    await until(() => port('two') !== undefined);
    t.match(port('two'), { addresses: /10\.42\.1\.77$/ }, 'the pod gets the address when the first pod is gone');
  });

  t.test('pods ask for a port of their node', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api } = bed;
    const withHostPort = (name: string, labels = {}) => {
      const pod = podOn('n1', name, { uid: name, labels });
      return {
        ...pod,
        spec: { ...(pod.spec as object), containers: [{ ports: [{ containerPort: 80, hostPort: 8080 }] }] },
      };
    };
    api.put('pods', withHostPort('early'));
    await bed.watch().reported(isActive);
    api.put('pods', withHostPort('late'));
    await passed(bed, 'first');
    api.put('pods', withHostPort('late', { changed: 'yes' }));
    await passed(bed, 'second');
    t.strictSame(
      api.notices.map(({ regarding, reason }) => [regarding.name, reason]),
      [
        ['early', 'HostPortNotServed'],
        ['late', 'HostPortNotServed'],
      ],
      'each refusal is reported once',
    );
  });

  t.test('objects ask for what the network does not serve', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api } = bed;
    await bed.watch().reported(isActive);
    const limited = { 'kubernetes.io/ingress-bandwidth': '1M' };
    api.put('pods', podOn('n1', 'limited', { annotations: limited }));
    const annotations = { 'k8s.ovn.org/multicast-enabled': 'true' };
    api.put('namespaces', { metadata: { name: 'sends', uid: 'uid-of-sends', annotations } });
    api.put('nodes', { metadata: { name: 'n1', uid: 'uid-of-n1', labels: { 'k8s.ovn.org/egress-assignable': '' } } });
    const balanced = (name: string, clusterIP: string, creationTimestamp: string) => ({
      metadata: { namespace: 'default', name, uid: `uid-of-${name}`, creationTimestamp },
      spec: { type: 'LoadBalancer', clusterIPs: [clusterIP], ports: [{ port: 80, protocol: 'TCP' }] },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    });
    api.put('services', balanced('second', '10.43.0.82', '2026-01-02T00:00:00Z'));
    api.put('services', balanced('first', '10.43.0.81', '2026-01-01T00:00:00Z'));
    await passed(bed, 'later');
    const reported = api.notices
      .filter(({ reason }) => reason === 'NotServed')
      .map(({ regarding, note }) => [regarding.kind, regarding.name, note] as const);
    t.match(
      reported.toSorted(([, one], [, other]) => (one < other ? -1 : 1)),
      [
        ['Pod', 'limited', /bandwidth .* limit nothing here/],
        ['Node', 'n1', /EgressIP/],
        ['Service', 'second', /^203\.0\.113\.9 port 80 is not served: service default\/first has it/],
        ['Namespace', 'sends', /multicast/],
      ],
      'each request has one Event, and of two services with one address and port only the younger one has an Event',
    );
    t.equal(reported.length, 4);
  });

  t.test('another program changes the rows', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until, writes } = bed;
    await bed.watch().reported(isActive);
    api.put('pods', ...podsOn(30));
    await until(() => port('web-29') !== undefined);
    const { addresses } = port('web-3') ?? {};
    await bed.central.client.transact('OVN_Northbound', [
      mutate('Logical_Switch_Port', [['name', '==', 'default_web-3']], [['addresses', 'insert', 'unknown']]),
    ]);
    await until(() => JSON.stringify(port('web-3')?.addresses) === JSON.stringify(addresses));
    t.pass('a changed column is restored');
    for (let index = 0; index < 30; index += 1) {
      // While the row is removed, its pod gets another label, which needs one more row in a set.
      const gone = remove(bed, `web-${index}`);
      const pod = api.get('pods', `default/web-${index}`);
      if (pod !== undefined) api.put('pods', { ...pod, metadata: { ...pod.metadata, labels: { app: `${index}` } } });
      await gone;
    }
    await until(() => podsOn(30).every(({ metadata }) => port(metadata.name) !== undefined));
    await passed(bed, 'settled');
    writes();
    await passed(bed, 'last');
    t.equal(writes(), 1, 'all removed rows are restored, and only the row of the new pod is written');
  });

  t.test('of two watchers one writes, and the other takes over when the first ends', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until, writes } = bed;
    const first = bed.watch();
    await first.reported(isActive);
    const second = bed.watch();
    await second.reported(({ role }) => role === 'standby');
    api.put('pods', ...podsOn(10));
    await until(() => port('web-9') !== undefined);
    t.equal(api.annotated(), 10, 'only one watcher annotates pods');
    const other = await connect(`${bed.central.folder}/nb.sock`, 60_000);
    t.teardown(() => other.close());
    await t.rejects(
      other.transact('OVN_Northbound', [assertLock('microshift_net_nb'), deleteRows('ACL', [])]),
      /not owner/,
      'another client cannot write under the lock of the watcher',
    );
    const { addresses } = port('web-3') ?? {};
    writes();
    await first.watcher.close();
    await second.reported(isActive);
    await passed(bed, 'later');
    t.equal(writes(), 1, 'the second watcher writes only the row of the new pod');
    t.strictSame(port('web-3')?.addresses, addresses);
  });

  t.test('a database that is emptied is filled again, beginning with the nodes', async (t) => {
    const bed = await workloadBed(t, ownRelease());
    const { api, port, until, rows, central } = bed;
    const { watcher, reported } = bed.watch();
    await reported(isActive);
    api.put('pods', ...podsOn(20));
    await until(() => port('web-19') !== undefined);
    const addressesNow = (): unknown => podsOn(20).map(({ metadata }) => port(metadata.name)?.addresses);
    const before = addressesNow();
    const tables = [
      'Logical_Switch',
      'Logical_Router',
      'Load_Balancer',
      'Load_Balancer_Group',
      'Address_Set',
      'Port_Group',
    ];
    await central.client.transact(
      'OVN_Northbound',
      tables.map((table) => deleteRows(table, [])),
    );
    await until(() => rows('Logical_Switch').length === 0 && rows('Logical_Switch_Port').length === 0);
    await central.apply({ nodes });
    await until(() => podsOn(20).every(({ metadata }) => port(metadata.name) !== undefined));
    t.strictSame(addressesNow(), before);

    await central.apply({ nodes: nodes.slice(0, 2), leaving: ['n3'] });
    watcher.know({ layout: modern, nodes: nodes.slice(0, 2), exposure });
    await passed(bed, 'last');
    t.equal(port('web-2'), undefined, 'the pods of a removed node have no rows');
    t.not(port('web-1'), undefined);
  });
}

/** Returns the rows of pods and the rows that refer to pods. An unchanged row is the same JavaScript object. */
function everyRow({ rows }: WorkloadBed): ReadonlySet<MirrorRow> {
  return new Set((['Logical_Switch', 'Logical_Switch_Port', 'Address_Set'] as const).flatMap((table) => rows(table)));
}

function titleOfRow({ name, external_ids: ids }: MirrorRow): string {
  const id = /k8s\.ovn\.org\/id,[^:,]+:(Namespace):([^,]+?):(v4)/.exec(String(ids));
  return id === null ? String(name) : id.slice(1).join(' ');
}

/** Removes a pod's row, as `ovn-nbctl lsp-del` does. */
async function remove({ central, port }: WorkloadBed, pod: string): Promise<void> {
  const row = port(pod);
  if (row === undefined) return;
  const held = uuid(String((row._uuid as readonly string[])[1]));
  await central.client.transact('OVN_Northbound', [
    mutate('Logical_Switch', [['ports', 'includes', held]], [['ports', 'delete', held]]),
  ]);
}

/** Returns a release whose server refuses long names of ports. */
function withShortNames(t: Test, release: Release): Release {
  const schemas = t.testdir({});
  for (const name of ['ovn-nb.ovsschema', 'ovn-sb.ovsschema']) {
    const schema = JSON.parse(readFileSync(join(release.schemas, name), 'utf8'));
    if (name === 'ovn-nb.ovsschema')
      schema.tables.Logical_Switch_Port.columns.name.type = { key: { type: 'string', maxLength: 60 } };
    delete schema.cksum;
    writeFileSync(join(schemas, name), JSON.stringify(schema));
  }
  return { ...release, schemas };
}
