import { writeFileSync } from 'node:fs';
import t from 'tap';
import type { OverlayBundle } from '../../../../../agent/model/overlay-record.ts';
import {
  bundleText,
  parseBundle,
  readRecord,
  requireCentral,
  requireRecord,
  writeRecord,
} from '../../../../../agent/run/overlay/record/record.ts';
import { failure } from '../../../failure.ts';
import { modern } from '../../../overlay/cluster.ts';

const bundle: OverlayBundle = {
  format: 1,
  layout: modern,
  southbound: ['ssl:192.0.2.11:6642', 'ssl:[2001:db8::11]:6642'],
  node: {
    name: 'n2',
    id: 2,
    systemId: '5f0b6f0e-7d39-4a6a-9a43-5ac1a4f5b0c2',
    subnets: ['10.42.1.0/24'],
    encap: { types: ['geneve'], addresses: [] },
    managementMac: null,
    hostAddresses: [],
    gateway: null,
  },
  pem: { key: 'KEY', certificate: 'CERTIFICATE', authority: 'AUTHORITY' },
};

t.test('a bundle is read as it was written', (t) => {
  t.strictSame(parseBundle(bundleText(bundle), 'standard input'), bundle);
  t.end();
});

t.test('an invalid bundle is refused with the wrong field', (t) => {
  const { node, layout } = bundle;
  const table: readonly (readonly [text: string, message: RegExp])[] = [
    ['', /it is not a bundle of/],
    ['null', /the file is not a JSON object/],
    ['[]', /the file is not a JSON object/],
    [JSON.stringify({ ...bundle, format: 2 }), /format is not usable/],
    [JSON.stringify({ ...bundle, southbound: ['tcp:192.0.2.11:6642'] }), /southbound is not usable/],
    [JSON.stringify({ ...bundle, southbound: ['ssl:192.0.2.11:66420'] }), /southbound is not usable/],
    [JSON.stringify({ ...bundle, southbound: ['ssl:[192.0.2.11]:6642'] }), /southbound is not usable/],
    [JSON.stringify({ ...bundle, node: { ...node, name: '../n2' } }), /node\.name is not usable/],
    [JSON.stringify({ ...bundle, node: { ...node, systemId: 'a/b' } }), /node\.systemId is not usable/],
    [JSON.stringify({ ...bundle, node: { ...node, subnets: ['10.42.1.1/24'] } }), /node\.subnets is not usable/],
    [JSON.stringify({ ...bundle, layout: { ...layout, mtu: '1442' } }), /layout\.mtu is not usable/],
    [JSON.stringify({ ...bundle, pem: { key: 'KEY' } }), /pem\.certificate is missing/],
  ];
  for (const [text, message] of table)
    t.throws(() => parseBundle(text, 'n2.bundle'), failure('bundle-unusable', { message }), text.slice(0, 40));
  t.end();
});

t.test('the record of a node', (t) => {
  const path = `${t.testdir()}/overlay.json`;
  t.equal(readRecord(path), null);
  t.throws(() => requireRecord(path), failure('overlay-absent'));
  const { pem: _, ...rest } = bundle;
  t.equal(writeRecord(path, { ...rest, members: null }), true);
  t.equal(writeRecord(path, { ...rest, members: null }), false, 'a second write of the same record writes nothing');
  t.throws(() => requireCentral(path), failure('overlay-absent', { message: /not the central node/ }));
  writeRecord(path, { ...rest, members: [bundle.node] });
  t.strictSame(requireCentral(path).members, [bundle.node]);
  const gateway = {
    bridge: 'br-gweth1',
    interface: 'eth1',
    addresses: ['203.0.113.9/24'],
    nextHops: 'auto' as const,
    vlan: 7,
    subnets: ['10.42.1.0/24'],
    moved: ['203.0.113.9/24'],
  };
  const withGateway = { ...rest, gateway, members: null };
  writeRecord(path, withGateway);
  t.strictSame(readRecord(path), withGateway, 'a record with a gateway is read as it was written');
  for (const [key, value] of [
    ['bridge', 'br ex'],
    ['interface', 7],
    ['addresses', ['203.0.113.9']],
    ['nextHops', 'none'],
    ['vlan', 4095],
    ['moved', undefined],
  ] as const) {
    writeFileSync(path, JSON.stringify({ ...withGateway, gateway: { ...gateway, [key]: value } }));
    t.throws(() => readRecord(path), failure('record-unusable', { message: new RegExp(`gateway\\.${key} is `) }), key);
  }
  writeFileSync(path, '{"format":1}');
  t.throws(() => readRecord(path), failure('record-unusable', { message: /layout is missing/ }));
  t.end();
});
