// UDP connections that are no longer valid when services change.
import t from 'tap';
import type { DatabaseRow } from '../../../../agent/model/rows.ts';
import { createDatagramServers, type DatagramServers } from '../../../../agent/overlay/services/datagram-services.ts';

const at = '10.43.0.10:53';
const [first, second, third] = ['10.42.0.9:8053', '10.42.1.9:8053', '10.42.2.9:8053'];
const row = (vips: Readonly<Record<string, string>>, protocol = 'udp'): DatabaseRow => ({
  _uuid: JSON.stringify(vips),
  protocol: [protocol],
  vips,
});

/** Returns the servers after the first transaction, which has these rows. */
function serving(...rows: readonly DatabaseRow[]): DatagramServers {
  const servers = createDatagramServers();
  servers.change(rows.map((now) => ({ old: null, now })));
  return servers;
}

/** Returns the connections that a transaction makes invalid; each pair is a row before and after the transaction. */
function lost(servers: DatagramServers, ...pairs: readonly (readonly [DatabaseRow | null, DatabaseRow | null])[]) {
  return servers
    .change(pairs.map(([old, now]) => ({ old, now })))
    .map(({ at: place, server }) => `${place.address} ${place.port} ${server.address} ${server.port}`);
}

t.test('connections of removed servers, and no others', (t) => {
  const both = row({ [at]: `${first},${second}` });
  t.strictSame(lost(serving(both), [both, { ...both, name: 'other' }]), []);
  t.strictSame(lost(serving(), [null, both]), [], 'no connection is removed because of an added server');
  t.strictSame(lost(serving(both), [both, row({ [at]: `${second},${third}` })]), ['10.43.0.10 53 10.42.0.9 8053']);
  t.strictSame(
    lost(serving(both), [both, row({ [at]: '' })]).length,
    2,
    'connections of a service that has lost its server are removed',
  );
  t.strictSame(lost(serving(both), [both, null]).length, 2, 'connections of a removed service are removed');
  const six = row({ '[fd02::10]:53': '[fd01::9]:8053' });
  t.strictSame(lost(serving(six), [six, null]), ['fd02::10 53 fd01::9 8053']);
  t.end();
});

t.test('an address and port that several load balancers serve', (t) => {
  const [one, other] = [row({ [at]: first }), row({ [at]: second })];
  t.strictSame(lost(serving(one, other), [one, null]), ['10.43.0.10 53 10.42.0.9 8053']);
  const together = row({ [at]: `${second},${first}` });
  t.strictSame(lost(serving(one, other), [one, null], [other, null], [null, together]), []);
  const servers = serving(one, together);
  t.strictSame(lost(servers, [one, null]), [], 'connections of a server that another row still has stay');
  t.strictSame(lost(servers, [together, other]), ['10.43.0.10 53 10.42.0.9 8053']);
  t.end();
});

t.test('a server that serves again', (t) => {
  const one = row({ [at]: first });
  const servers = serving(one);
  const [gone] = servers.change([{ old: one, now: null }]);
  t.equal(gone && servers.isServing(gone), false);
  servers.change([{ old: null, now: one }]);
  t.equal(gone && servers.isServing(gone), true);
  t.end();
});

t.test('connections of TCP end by themselves', (t) => {
  const one = row({ [at]: first }, 'tcp');
  t.strictSame(lost(serving(one), [one, null]), []);
  t.end();
});
