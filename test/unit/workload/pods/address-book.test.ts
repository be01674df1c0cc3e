// Address that a pod gets, and the reasons for which it may get none.
import t from 'tap';
import { macOf, rangeOf } from '../../../../agent/overlay/addresses.ts';
import { addressOf } from '../../../../agent/workload/pods/subnets.ts';
import { dualNode, nodeOf } from '../../overlay/cluster.ts';
import { annotated, asking, openBook, podOf } from './paper-pods.ts';

const small = nodeOf(1, { subnets: ['10.42.1.0/29'] });

t.test('addresses are assigned in turn, and a released one only after all others', (t) => {
  const { tell, all } = openBook([small]);
  t.strictSame(tell({ pods: [podOf('a'), podOf('b')] }).changed, ['default/a', 'default/b']);
  t.strictSame(all(), { a: '10.42.1.3/29', b: '10.42.1.4/29' });
  tell({ gone: ['default/a'] });
  tell({ pods: [podOf('c'), podOf('d')] });
  t.strictSame(all(), { b: '10.42.1.4/29', c: '10.42.1.5/29', d: '10.42.1.6/29' });
  tell({ pods: [podOf('e')] });
  t.equal(
    all().e,
    '10.42.1.3/29',
    'after the last address, the first free one is assigned; .7 is the broadcast address',
  );
  t.end();
});

t.test('a pod without a free address gets one Event, and then the first address that becomes free', (t) => {
  const { tell, all } = openBook([small]);
  tell({ pods: ['a', 'b', 'c', 'd'].map((name) => podOf(name)) });
  const { changed, faults } = tell({ pods: [podOf('late')] });
  t.strictSame(changed, []);
  t.match(faults, [{ pod: { name: 'late' }, reason: 'NoFreeAddress', note: /all addresses of 10\.42\.1\.0\/29/ }]);
  t.strictSame(
    tell({ pods: [podOf('late', { labels: { a: 'b' } })] }).faults,
    [],
    'the fault is not reported a second time',
  );
  t.strictSame(tell({ pods: [podOf('b', { isOver: true })] }).changed, ['default/b', 'default/late']);
  t.equal(all().late, '10.42.1.4/29', 'the pod gets the address of a pod that has ended');
  t.notOk('b' in all());
  t.end();
});

t.test('a pod without an interface of its own gets no address', (t) => {
  const { tell, all } = openBook([nodeOf(1), nodeOf(2, { subnets: [] })]);
  const pods = [
    podOf('host', { isHostNetwork: true }),
    podOf('over', { isOver: true }),
    podOf('unscheduled', { nodeName: null }),
  ];
  t.strictSame(tell({ pods }), { changed: [], faults: [] });
  t.match(tell({ pods: [podOf('gateway', { nodeName: 'n2' })] }), {
    changed: [],
    faults: [{ pod: { name: 'gateway' } }],
  });
  t.strictSame(all(), {});
  tell({ pods: [podOf('unscheduled')] });
  t.strictSame(all(), { unscheduled: '10.42.1.3/24' }, 'the pod gets an address as soon as it is scheduled');
  t.end();
});

t.test('a pod with both families has the prefix length of each subnet', (t) => {
  const { tell, all } = openBook([dualNode(1)]);
  tell({ pods: [podOf('a'), podOf('b', asking('10.42.1.200')), podOf('c', asking('fd01:0:0:1::beef, 10.42.1.201'))] });
  t.strictSame(all(), {
    b: '10.42.1.200/24 fd01:0:0:1::3/64',
    c: '10.42.1.201/24 fd01:0:0:1::beef/64',
    a: '10.42.1.202/24 fd01:0:0:1::4/64',
  });
  t.end();
});

t.test('a pod that requests an address of one family leaves those of the other family to other pods', (t) => {
  const { tell, all } = openBook([dualNode(1)]);
  const last = 254;
  const fixed = Array.from({ length: 126 }, (_, index) => podOf(`fixed-${index}`, asking(`10.42.1.${last - index}`)));
  const others = Array.from({ length: 127 }, (_, index) => podOf(`other-${index}`));
  t.strictSame(tell({ pods: fixed }).faults, []);
  const { faults } = tell({ pods: others });
  t.equal(Object.keys(all()).length, 252, 'as many pods have addresses as the smaller subnet allows');
  t.equal(new Set(Object.values(all()).flatMap((both) => both.split(' '))).size, 504, 'no address is assigned twice');
  t.match(faults, [{ pod: { name: 'other-126' }, reason: 'NoFreeAddress' }]);
  t.strictSame(tell({ gone: ['default/fixed-0'] }).changed, ['default/fixed-0', 'default/other-126']);
  t.equal(all()['other-126'], '10.42.1.254/24 fd01:0:0:1::3/64');
  t.end();
});

t.test('IPv6 only', (t) => {
  const { tell, all } = openBook([nodeOf(1, { subnets: ['fd01:0:0:1::/64'] })]);
  tell({ pods: [podOf('a')] });
  t.strictSame(all(), { a: 'fd01:0:0:1::3/64' });
  t.end();
});

t.test('a pod gets the address that it requests, or none', async (t) => {
  const ask = (address: string, name = 'asker') => podOf(name, asking(address));

  t.test('the address is free', (t) => {
    const { tell, all } = openBook();
    t.strictSame(tell({ pods: [podOf('first'), ask('10.42.1.3')] }).faults, []);
    t.strictSame(
      all(),
      { asker: '10.42.1.3/24', first: '10.42.1.4/24' },
      'requested addresses are assigned before arbitrary ones',
    );
    t.end();
  });

  t.test('another pod has the address, until it is deleted', (t) => {
    const { tell, all } = openBook();
    tell({ pods: [podOf('owner')] });
    const { faults } = tell({ pods: [ask('10.42.1.3')] });
    t.match(faults, [
      { reason: 'AddressTaken', note: /ip-address asks for 10\.42\.1\.3, which pod default\/owner has/ },
    ]);
    t.strictSame(all(), { owner: '10.42.1.3/24' });
    t.strictSame(tell({ gone: ['default/owner'] }).changed, ['default/owner', 'default/asker']);
    t.strictSame(all(), { asker: '10.42.1.3/24' });
    t.end();
  });

  t.test('two pods request the address in the same batch', (t) => {
    const { tell, all } = openBook();
    const { faults } = tell({ pods: [ask('10.42.1.9', 'one'), ask('10.42.1.9', 'other')] });
    t.match(faults, [{ pod: { name: 'other' }, reason: 'AddressTaken', note: /default\/one has/ }]);
    t.strictSame(all(), { one: '10.42.1.9/24' });
    t.end();
  });

  t.test('the pod requests another address instead', (t) => {
    const { tell, all } = openBook();
    tell({ pods: [podOf('owner'), ask('10.42.1.0')] });
    t.strictSame(tell({ pods: [ask('10.42.1.8')] }).changed, ['default/asker']);
    t.equal(all().asker, '10.42.1.8/24');
    t.end();
  });

  for (const address of [
    '10.42.2.3',
    '10.42.1.1',
    '10.42.1.2',
    '10.42.1.0',
    '10.42.1.255',
    'fd01::3',
    'soon',
    '10.42.1.7/24',
  ])
    t.test(`${address} is refused`, (t) => {
      const { tell, all } = openBook();
      t.match(tell({ pods: [ask(address)] }).faults, [
        { reason: 'AddressNotUsable', note: /a pod of n1 can have one of 10/ },
      ]);
      t.strictSame(all(), {});
      t.end();
    });

  t.test('an IPv6 address whose MAC would be that of the router or of another pod', (t) => {
    const node = nodeOf(1, { subnets: ['fd01:0:0:1::/64'] });
    const { tell, all } = openBook([node]);
    const { faults } = tell({ pods: [ask('fd01:0:0:1:0:2:0:3'), ask('fd01:0:0:1::1:0', 'last')] });
    t.match(faults, [
      { reason: 'AddressNotUsable', note: /one of fd01:0:0:1::\/64.*, and none after fd01::1:0:0:1:0$/ },
    ]);
    t.strictSame(all(), { last: 'fd01::1:0:0:1:0/64' });
    const macs = Array.from({ length: 65_537 }, (_, place) => macOf(addressOf(rangeOf('fd01:0:0:1::/64'), place)));
    t.equal(new Set(macs).size, macs.length, 'the MACs of all pods differ');
    const both = openBook([dualNode(1)]);
    t.strictSame(
      both.tell({ pods: [ask('fd01:0:0:1:0:2:0:3')] }).faults,
      [],
      'with IPv4, the MAC follows from the IPv4 address',
    );
    t.end();
  });

  t.test('a pod of a node that has not joined', (t) => {
    const { tell, all } = openBook();
    const stranger = podOf('stranger', { nodeName: 'n2' });
    t.match(tell({ pods: [stranger] }).faults, [{ reason: 'NodeNotInOverlay', note: /has no node n2 that/ }]);
    t.strictSame(tell({ pods: [stranger] }).faults, [], 'the missing node is reported once');
    t.strictSame(tell({ pods: [podOf('host', { nodeName: 'n2', isHostNetwork: true })] }).faults, []);
    t.strictSame(tell({ nodes: [nodeOf(1), nodeOf(2)] }).changed, ['default/stranger']);
    t.strictSame(all(), { stranger: '10.42.2.3/24' }, 'the pod gets an address as soon as its node has joined');
    t.end();
  });

  t.test('two addresses of one family', (t) => {
    const { tell } = openBook([dualNode(1)]);
    t.match(tell({ pods: [ask('10.42.1.7,10.42.1.8')] }).faults, [{ reason: 'AddressNotUsable' }]);
    t.end();
  });
});

t.test('the addresses that a pod may request', (t) => {
  const { tell, all } = openBook([nodeOf(1)]);
  const fixedRanges = [
    { namespace: 'default', range: '10.42.1.64/28' },
    { namespace: 'default', range: '10.42.1.128/28' },
  ];
  const of = (name: string, address: string, namespace = 'default') => podOf(name, { ...asking(address), namespace });
  const pods = [of('a', '10.42.1.70'), of('b', '10.42.1.129'), of('c', '10.42.1.90'), of('d', '10.42.1.71', 'other')];
  const { faults } = tell({ pods: [...pods, podOf('e')], fixedRanges });
  t.match(all(), { a: '10.42.1.70/24', b: '10.42.1.129/24', e: /^10\.42\.1\./ });
  t.strictSame(
    [all().c, all()['other/d']],
    [undefined, undefined],
    'a pod whose request is not permitted gets no other address',
  );
  t.match(faults, [
    { reason: 'AddressNotUsable', note: /of namespace default may ask for one of 10\.42\.1\.64\/28 and 10/ },
    { reason: 'AddressNotUsable', note: /no pod of namespace other may ask for one/ },
  ]);
  tell({ pods: [of('f', '10.42.1.91')], fixedRanges: [] });
  t.equal(all().f, '10.42.1.91/24', 'without permitted ranges, every pod may request an address');
  t.end();
});

t.test('after a restart of the daemon, every pod has its former addresses', async (t) => {
  const node = dualNode(1);
  const [four, six] = ['10.42.1.77/24', 'fd01:0:0:1::4d/64'];

  t.test('the addresses in the annotation of the pod, in each of its forms', (t) => {
    const { tell, all } = openBook([node]);
    const first = {
      ovn: '{"gateway_ip": "10.42.1.1", "ip_address": "10.42.1.78/24", "mac_address": "0a:00:00:00:00:01"}',
    };
    tell({ pods: [podOf('new'), podOf('a', annotated(node, four, six)), podOf('old', { annotations: first })] });
    t.match(all(), { a: `${four} ${six}`, old: /^10\.42\.1\.78\/24 fd01/ });
    t.equal(all().new, '10.42.1.79/24 fd01:0:0:1::4f/64', 'a new pod gets an address after those of the annotations');
    t.end();
  });

  t.test("the addresses in the pod's row, or in the status from the kubelet", (t) => {
    const { tell, all } = openBook([node]);
    const addressesOfRow = (key: string): readonly string[] =>
      key === 'default/a' ? ['10.42.1.77', 'fd01:0:0:1::4d'] : [];
    const { faults } = tell({
      pods: [podOf('new'), podOf('a'), podOf('b', { podIPs: ['10.42.1.90', 'FD01:0:0:1:0::90'] })],
      addressesOfRow,
    });
    t.strictSame(faults, []);
    t.match(all(), { a: `${four} ${six}`, b: '10.42.1.90/24 fd01:0:0:1::90/64' });
    t.end();
  });

  t.test('of two pods with the same annotation, the pod whose row has the addresses keeps them', (t) => {
    const { tell, all } = openBook([node]);
    const copied = annotated(node, four, six);
    const { faults } = tell({
      pods: [podOf('copy', copied), podOf('real', copied)],
      addressesOfRow: (key) => (key === 'default/real' ? ['10.42.1.77', 'fd01:0:0:1::4d'] : []),
    });
    t.strictSame(faults, []);
    t.equal(all().real, `${four} ${six}`);
    t.equal(all().copy, '10.42.1.78/24 fd01:0:0:1::4e/64');
    t.end();
  });

  t.test('forged annotations have no effect on other pods', (t) => {
    const forged = annotated(node, '10.42.1.99/24', 'fd01:0:0:1::63/64');
    const podIPs = ['10.42.1.77', 'fd01:0:0:1::4d'];
    const another = openBook([node]);
    another.tell({ pods: [podOf('forger', annotated(node, four, six)), podOf('runs', { podIPs })] });
    t.equal(
      another.all().runs,
      `${four} ${six}`,
      'a running pod keeps its addresses although the annotation of another pod has them',
    );
    t.not(another.all().forger, `${four} ${six}`);
    const own = openBook([node]);
    own.tell({ pods: [podOf('runs', { ...forged, podIPs }), podOf('starts', forged)], addressesOfRow: () => [] });
    t.equal(
      own.all().runs,
      `${four} ${six}`,
      'a running pod keeps its addresses although its own annotation has others',
    );
    const row = openBook([node]);
    row.tell({ pods: [podOf('starts', forged)], addressesOfRow: () => podIPs });
    t.equal(
      row.all().starts,
      `${four} ${six}`,
      'a pod has the addresses in its row, which only the central node writes',
    );
    t.end();
  });

  t.test('a pod with an address of one family gets one of the other family', (t) => {
    const { tell, all } = openBook([node]);
    tell({ pods: [podOf('a', annotated(nodeOf(1), four))] });
    t.equal(all().a, '10.42.1.77/24 fd01:0:0:1::3/64');
    t.end();
  });

  t.test('a later request does not change the addresses of a pod', (t) => {
    const { tell, all } = openBook([nodeOf(1)]);
    const annotations = { ...annotated(nodeOf(1), four).annotations, ...asking('10.42.1.5').annotations };
    tell({ pods: [podOf('a', { annotations })] });
    t.equal(all().a, four);
    t.end();
  });
});

t.test('a pod that is created again with the same name is another pod', (t) => {
  const { tell, all } = openBook();
  tell({ pods: [podOf('a')] });
  t.strictSame(tell({ pods: [podOf('a', { uid: 'another' })] }).changed, ['default/a']);
  t.strictSame(all(), { a: '10.42.1.4/24' });
  t.strictSame(
    tell({ pods: [podOf('a', { uid: 'another' })] }),
    { changed: [], faults: [] },
    'a repeated report changes nothing',
  );
  t.end();
});

t.test('pods follow nodes that join, leave or get another subnet', (t) => {
  const { tell, all } = openBook();
  const one = podOf('a', { podIPs: ['10.42.1.3'] });
  tell({ pods: [one, podOf('b', { nodeName: 'n2' })] });
  t.strictSame(all(), { a: '10.42.1.3/24' });
  t.strictSame(tell({ nodes: [nodeOf(1), nodeOf(2)] }).changed, ['default/b']);
  t.strictSame(all(), { a: '10.42.1.3/24', b: '10.42.2.3/24' });
  t.strictSame(tell({ nodes: [nodeOf(2)] }).changed, ['default/a']);
  t.strictSame(all(), { b: '10.42.2.3/24' });
  const { faults } = tell({ nodes: [nodeOf(1, { subnets: ['10.42.9.0/24'] }), nodeOf(2)] });
  t.strictSame(all(), { b: '10.42.2.3/24', a: '10.42.9.3/24' });
  t.match(faults, [{ pod: { name: 'a' }, reason: 'AddressReplaced', note: /^10\.42\.1\.3 cannot stay/ }]);
  t.end();
});
