// UDP connections that are no longer valid when services change.
import t from 'tap';
import type { DatabaseRow } from '../../../../agent/model/rows.ts';
import { datagramServices, lostConnections } from '../../../../agent/overlay/services/datagram-services.ts';

const at = '10.43.0.10:53';
const row = (vips: Readonly<Record<string, string>>, protocol = 'udp'): DatabaseRow => ({
  _uuid: JSON.stringify(vips),
  protocol: [protocol],
  vips,
});
const lost = (before: readonly DatabaseRow[], now: readonly DatabaseRow[]): readonly string[] =>
  lostConnections(datagramServices(before), datagramServices(now)).map(
    ({ at: { address, port }, server }) => `${address} ${port} ${server.address} ${server.port}`,
  );

t.test('connections of removed servers, and no others', (t) => {
  const both = [row({ [at]: '10.42.0.9:8053,10.42.1.9:8053' })];
  t.strictSame(lost(both, both), []);
  t.strictSame(lost([], both), [], 'a server that comes takes no client from another');
  t.strictSame(lost(both, [row({ [at]: '10.42.1.9:8053,10.42.2.9:8053' })]), ['10.43.0.10 53 10.42.0.9 8053']);
  t.strictSame(lost(both, [row({ [at]: '' })]).length, 2, 'of a service without a server');
  t.strictSame(lost(both, []).length, 2, 'and without the service');
  t.strictSame(lost([row({ '[fd02::10]:53': '[fd01::9]:8053' })], []), ['fd02::10 53 fd01::9 8053']);
  t.end();
});

t.test('a place that several rows have', (t) => {
  const [one, other] = [row({ [at]: '10.42.0.9:8053' }), row({ [at]: '10.42.1.9:8053' })];
  t.strictSame(lost([one, other], [other]), ['10.43.0.10 53 10.42.0.9 8053']);
  t.strictSame(lost([one, other], [row({ [at]: '10.42.1.9:8053,10.42.0.9:8053' })]), []);
  t.end();
});

t.test('connections of TCP end by themselves', (t) => {
  t.strictSame(lost([row({ [at]: '10.42.0.9:8053' }, 'tcp')], []), []);
  t.end();
});
