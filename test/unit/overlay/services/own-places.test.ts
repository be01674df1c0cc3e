// Inbound services of a node, addresses and ports that stay the node's own, and the ports on which its processes
// listen.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { portRanges, portsFault } from '../../../../agent/config/exposure.ts';
import { readListeners } from '../../../../agent/drivers/host/kernel/listening-sockets.ts';
import type { InboundService } from '../../../../agent/model/shared-bridge.ts';
import { type OwnPlaces, servedBeside } from '../../../../agent/overlay/services/own-places.ts';

const own: OwnPlaces = {
  addresses: ['192.0.2.11', '198.51.100.1', '2001:db8::11'],
  listeners: [
    { protocol: 'tcp', address: null, port: 443 },
    { protocol: 'udp', address: '198.51.100.1', port: 30_053 },
  ],
  ports: portRanges('30000-32767,80,443,22'),
  apiServers: [{ address: '203.0.113.6', port: 8443 }],
};

function served(protocol: InboundService['protocol'], address: string, port: number): boolean {
  return servedBeside([{ protocol, address, port, target: null, isServedHere: false }], own).length === 1;
}

t.test('which services arrive at a node', (t) => {
  for (const [protocol, address, port, isServed, why] of [
    ['tcp', '192.0.2.11', 30_080, true, 'a NodePort'],
    ['tcp', '2001:db8::11', 80, true, 'a listed port'],
    ['tcp', '192.0.2.11', 8080, false, 'an unlisted port'],
    ['tcp', '192.0.2.11', 22, false, 'SSH, even if the port is listed'],
    ['tcp', '198.51.100.1', 6443, false, 'the API server, also at another NIC'],
    ['udp', '192.0.2.11', 6081, false, 'the tunnels'],
    ['tcp', '192.0.2.11', 443, false, 'a port on which a process listens'],
    ['udp', '192.0.2.11', 443, true, 'the same port with another protocol'],
    ['udp', '198.51.100.1', 30_053, false, 'a port on which a process listens at this address only'],
    ['udp', '192.0.2.11', 30_053, true, 'the same port at another address'],
    ['tcp', '203.0.113.5', 22, true, "an address that is not the node's"],
    ['tcp', '203.0.113.6', 8443, false, 'the port of the API server at its own address'],
    ['tcp', '127.0.0.1', 80, false, 'the loopback address'],
    ['tcp', '::1', 80, false, 'the IPv6 loopback address'],
    ['tcp', '169.254.169.254', 80, false, 'a link-local address'],
  ] as const)
    t.equal(served(protocol, address, port), isServed, why);
  t.end();
});

t.test('listening sockets of this machine', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { readonly port: number };
  t.match(
    readListeners().find((one) => one.port === port),
    { protocol: 'tcp', address: '127.0.0.1' },
  );
});

t.test("listening sockets in the format of the kernel's files", (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'listeners-'));
  const heading = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  const line = (local: string, state: string): string =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n`;
  mkdirSync(join(folder, 'sctp'));
  writeFileSync(
    join(folder, 'tcp'),
    `${heading}${line('0B0200C0:01BB', '0A')}${line('00000000:0016', '0A')}${line('0B0200C0:1F90', '01')}`,
  );
  writeFileSync(
    join(folder, 'tcp6'),
    `${heading}${line('00000000000000000000000000000000:192B', '0A')}${line('0000000000000000FFFF00000B0200C0:0050', '0A')}`,
  );
  writeFileSync(join(folder, 'udp'), `${heading}${line('00000000:0035', '07')}${line('0B0200C0:D431', '01')}`);
  writeFileSync(join(folder, 'udp6'), `${heading}${line('B80D0120000000000000000011000000:0035', '07')}`);
  writeFileSync(
    join(folder, 'sctp/eps'),
    ' ENDPT     SOCK   STY SST HBKT LPORT   UID INODE LADDRS\n f00 f01 2   10  29   11111 0     1 192.0.2.11 \n',
  );
  t.strictSame(readListeners(folder), [
    { protocol: 'tcp', address: '192.0.2.11', port: 443 },
    { protocol: 'tcp', address: null, port: 22 },
    { protocol: 'tcp', address: null, port: 6443 },
    { protocol: 'tcp', address: '192.0.2.11', port: 80 },
    { protocol: 'udp', address: null, port: 53 },
    { protocol: 'udp', address: '2001:db8::11', port: 53 },
    { protocol: 'sctp', address: '192.0.2.11', port: 11_111 },
  ]);
  t.strictSame(readListeners(join(folder, 'nothing')), [], "without the kernel's tables, there are no listeners");
  t.end();
});

t.test('ports of ovn.yaml', (t) => {
  t.strictSame(portRanges('80, 8000-8099'), [
    { first: 80, last: 80 },
    { first: 8000, last: 8099 },
  ]);
  t.equal(portsFault('80,443'), null);
  for (const text of ['0', '70000', '90-80', 'http']) t.match(portsFault(text), text);
  t.end();
});
