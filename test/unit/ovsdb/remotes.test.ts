import t from 'tap';
import { parseRemotes, remoteText } from '../../../agent/drivers/ovsdb/index.ts';
import { judgeServer } from '../../../agent/drivers/ovsdb/leader.ts';
import { explainTlsFailure } from '../../../agent/drivers/ovsdb/tls-failure.ts';

const cid = '550e8400-e29b-41d4-a716-446655440000';

t.test('connection methods of ovsdb(7)', async (t) => {
  const rows: readonly (readonly [string | readonly string[], readonly string[]])[] = [
    ['/run/openvswitch/db.sock', ['unix:/run/openvswitch/db.sock']],
    ['/run/with,comma:1/db.sock', ['unix:/run/with,comma:1/db.sock']],
    ['unix:db.sock', ['unix:db.sock']],
    ['tcp:127.0.0.1:6641', ['tcp:127.0.0.1:6641']],
    ['tcp:127.0.0.1', ['tcp:127.0.0.1:6640']],
    ['ssl:[::1]:6642', ['ssl:[::1]:6642']],
    ['ssl:[fe80::1%eth0]', ['ssl:[fe80::1%eth0]:6640']],
    ['ssl:node-1.lan:6642', ['ssl:node-1.lan:6642']],
    ['ssl:10.0.0.1:6641, ssl:10.0.0.2:6641,', ['ssl:10.0.0.1:6641', 'ssl:10.0.0.2:6641']],
    [
      ['unix:/a', 'tcp:h:1,tcp:i:2'],
      ['unix:/a', 'tcp:h:1', 'tcp:i:2'],
    ],
  ];
  for (const [given, wanted] of rows)
    t.strictSame(parseRemotes(given).servers.map(remoteText), wanted, JSON.stringify(given));
  t.strictSame(parseRemotes(`tcp:h:1,cid:${cid.toUpperCase()}`), {
    servers: [{ kind: 'tcp', host: 'h', port: 1 }],
    clusterId: cid,
  });
});

t.test('values that name no server', async (t) => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['', /no server named/],
    [' , ', /no server named/],
    [`cid:${cid}`, /no server named/],
    ['cid:1,tcp:h', /one cid: with the uuid/],
    [`cid:${cid},cid:${cid},tcp:h`, /one cid: with the uuid/],
    ['db.sock', /expected unix:FILE/],
    ['unix:', /expected unix:FILE/],
    ['http://h', /expected unix:FILE/],
    ['pssl:6641', /a client connects to ssl:/],
    ['punix:/a', /a client connects to unix:/],
    ['tcp:', /not an address/],
    ['tcp::6640', /not an address/],
    ['tcp:::1', /an IPv6 address needs brackets/],
    ['tcp:[10.0.0.1]:1', /not an address/],
    ['tcp:[::1', /not an address/],
    ['tcp:h:0', /a port is a number/],
    ['tcp:h:65536', /a port is a number/],
    ['tcp:h:x', /a port is a number/],
    ['tcp:a b:1', /not an address/],
    ['tcp:h:1\u001b[31m', /a port is a number/],
  ];
  for (const [given, message] of rows) {
    t.throws(() => parseRemotes(given), { name: 'OvsdbError', kind: 'invalid', message }, given);
    try {
      parseRemotes(given);
    } catch (error) {
      t.notMatch((error as Error).message, '\u001b');
    }
  }
});

t.test('meaning of a failed TLS connection', async (t) => {
  const failed = (code: string, stage: 'handshake' | 'first answer' = 'handshake'): string | undefined =>
    explainTlsFailure(Object.assign(new Error('text'), { code }), stage)?.[0];
  t.equal(failed('CERT_NOT_YET_VALID'), 'certificate-expired');
  t.equal(failed('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate-untrusted');
  t.equal(failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'certificate-untrusted');
  t.equal(failed('ERR_SSL_WRONG_VERSION_NUMBER'), 'not-tls');
  t.equal(failed('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'not-tls');
  t.equal(failed('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'certificate-refused');
  t.equal(failed('ECONNRESET'), 'not-tls');
  t.equal(failed('ECONNRESET', 'first answer'), 'certificate-refused');
  t.equal(failed('EPIPE', 'first answer'), 'certificate-refused');
  t.equal(failed('ECONNREFUSED'), undefined);
  t.equal(failed('ENOTFOUND'), undefined);
});

t.test('the database of a server is accepted or refused (ovsdb-server(5), _Server)', async (t) => {
  const wanted = { name: 'OVN_Northbound', clusterId: undefined };
  const standalone = { model: 'standalone', connected: true, leader: true, cid: ['set', []] };
  const clustered = { model: 'clustered', connected: true, leader: true, cid: ['uuid', cid] };
  t.equal(judgeServer(standalone, wanted), undefined);
  t.equal(judgeServer(clustered, wanted), undefined);
  t.equal(judgeServer(clustered, { ...wanted, clusterId: cid }), undefined);
  const seen = { clusterId: cid, index: 7 };
  t.equal(judgeServer({ ...clustered, index: 7 }, { ...wanted, seen }), undefined);
  t.match(judgeServer({ ...clustered, index: 6 }, { ...wanted, seen }), /does not show yet/);
  t.equal(
    judgeServer({ ...clustered, cid: ['uuid', 'x'], index: 6 }, { ...wanted, seen }),
    undefined,
    'a lower index is accepted from another cluster',
  );
  t.match(judgeServer(undefined, wanted), /no database OVN_Northbound/);
  t.match(judgeServer({ ...clustered, leader: false }, wanted), /not the leader/);
  t.match(judgeServer({ ...clustered, connected: false }, wanted), /no contact/);
  t.match(judgeServer({ ...clustered, model: 'relay', leader: false }, wanted), /relay/);
  t.match(judgeServer(standalone, { ...wanted, clusterId: cid }), /cluster \(none\)/);
});
