// Devices in other network namespaces that are stacked on a link of the node's namespace.
import t from 'tap';
import { hasOnlyLoopback, parseStacked } from '../../../agent/drivers/host/kernel/network-namespaces.ts';

t.test('the output of `ip -d -j link`', (t) => {
  const listed = [
    { ifname: 'lo', ifindex: 1 },
    { ifname: 'net1', link_index: 2, link_netnsid: 0, linkinfo: { info_kind: 'ipvlan' } },
    { ifname: 'net2', link_index: 1, linkinfo: { info_kind: 'macvlan' } },
    { ifname: 'eth0', link_index: 2, link_netnsid: 0, linkinfo: { info_kind: 'veth' } },
    { ifname: 'tunl0', link: null, linkinfo: { info_kind: 'ipip' } },
  ];
  t.strictSame(
    parseStacked(JSON.stringify(listed), '/run/netns/pod'),
    [{ name: 'net1', kind: 'ipvlan', parentIndex: 2, namespace: '/run/netns/pod' }],
    'a veth, and a device on a link of its own namespace, are left out',
  );
  t.strictSame(parseStacked('', '/run/netns/pod'), []);
  t.end();
});

t.test('the contents of /proc/PID/net/dev', (t) => {
  const heading =
    'Inter-|   Receive                                                |  Transmit\n' +
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n';
  const line = (name: string): string => `${name.padStart(6)}: 1448 16 0 0 0 0 0 0 1448 16 0 0 0 0 0 0\n`;
  t.ok(hasOnlyLoopback(heading + line('lo')));
  t.notOk(hasOnlyLoopback(heading + line('lo') + line('net1')));
  t.notOk(hasOnlyLoopback(heading + line('net1')));
  t.notOk(hasOnlyLoopback(heading), 'a namespace without lo is not known to be without other devices');
  t.notOk(hasOnlyLoopback(null), 'a process that has just ended is not reported');
  t.end();
});
