// Changes of services in a real southbound database: the daemon gets notifications of changes to its node's inbound
// services, and of no others.
import { EventEmitter, once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { connect, update } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayRecord } from '../../agent/model/overlay-record.ts';
import { followServices } from '../../agent/run/overlay/daemon/service-watch.ts';
import { overlayPlaces } from '../../agent/run/overlay/record/places.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { gatewayOf, modern, nodeOf } from '../unit/overlay/cluster.ts';
import { startCentral } from './central.ts';
import { type Release, releasesHere } from './releases.ts';

/** Number of changes, more than a roll-out in a cluster of twenty nodes makes. */
const updates = 5_000;

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));

async function onRelease(t: Test, release: Release): Promise<void> {
  const { folder, run } = await startCentral(t, false, release);
  const socket = join(folder, 'sb.sock');
  const southbound = await connect(socket, 60_000);
  t.teardown(() => southbound.close());
  const node = nodeOf(1, { gateway: gatewayOf(1) });
  const record = { layout: modern, node, members: null, southbound: [`unix:${socket}`] } as unknown as OverlayRecord;
  const places = { ...overlayPlaces, services: join(folder, 'services.json') };
  const router = run('ovn-sbctl', 'create', 'Datapath_Binding', 'tunnel_key=7', 'external_ids:name=GR_n1').trim();
  const tellsRouters = readFileSync(join(release.schemas, 'ovn-sb.ovsschema'), 'utf8').includes('lr_datapath_group');
  /** Returns a load balancer of the gateway of n1, as ovn-northd writes it. */
  const addBalancer = (vips: Readonly<Record<string, string>>): string => {
    const group = ['--id=@routers', 'create', 'Logical_DP_Group', `datapaths=${router}`, '--'];
    const columns = ['name=one', ...Object.entries(vips).map(([at, to]) => `vips:"${at}"="${to}"`)];
    const balancer = ['create', 'Load_Balancer', ...columns, ...(tellsRouters ? ['lr_datapath_group=@routers'] : [])];
    return (
      run('ovn-sbctl', ...(tellsRouters ? group : []), ...balancer)
        .trim()
        .split('\n')
        .at(-1) ?? ''
    );
  };
  const events = new EventEmitter();
  let news = 0;
  const place = async (vips: Readonly<Record<string, string>>): Promise<string> => {
    const reported = once(events, 'news');
    const uuid = addBalancer(vips);
    await reported;
    return uuid;
  };
  const stop = followServices(
    record,
    places,
    () => {
      news += 1;
      events.emit('news');
    },
    () => undefined,
    ({ announced, elsewhere }) => void events.emit(`${announced.join(' ')}, not ${elsewhere.join(' ')}`),
  );
  t.teardown(stop);

  const [inCluster, at] = ['10.43.0.80:80', '192.0.2.11:30080'];
  const web = await place({ [inCluster]: '10.42.1.9:8080', [at]: '10.42.1.9:8080' });
  t.equal(news, 1, 'a NodePort');
  const known = { protocol: 'tcp', address: '192.0.2.11', port: 30080, target: { address: '10.43.0.80', port: 80 } };
  writeFileSync(places.services, `${JSON.stringify([{ ...known, isServedHere: false }])}\n`);

  for (let number = 0; number < updates; number += 1) {
    const backends = `10.42.1.${1 + (number % 250)}:8080`;
    await southbound.transact('OVN_Southbound', [
      update('Load_Balancer', [['_uuid', '==', ['uuid', web]]], mapped({ [inCluster]: backends, [at]: backends })),
    ]);
  }
  addBalancer({ '10.43.0.81:80': '10.42.1.9:8080', '192.0.2.12:30081': '10.42.1.9:8080' });
  await place({ '192.0.2.11:30082': '10.42.1.9:8080' });
  t.equal(news, 2, 'another NodePort; not what serves, nor other nodes');
  await place({ '10.43.0.1:443': '192.0.2.11:6443' });
  t.equal(news, 3, 'and what the node itself serves');

  const announced = once(events, '192.0.2.200 2001:db8::200, not 192.0.2.12 192.0.2.201');
  addBalancer({ '192.0.2.200:80': '10.42.1.9:8080', '192.0.2.201:80': '10.42.1.9:8080' });
  const own = 'external_ids:microshift-net-announced="192.0.2.200 2001:db8::200"';
  for (const [name, key, ...ids] of [
    ['etor-GR_n2', '1', 'external_ids:microshift-net-announced=192.0.2.201'],
    ['etor-GR_n1', '2', own],
  ])
    run(
      'ovn-sbctl',
      'create',
      'Port_Binding',
      `logical_port=${name}`,
      `datapath=${router}`,
      `tunnel_key=${key}`,
      ...ids,
    );
  await announced;
  t.pass('and the addresses that its own gateway announces, and those of others');
}

function mapped(vips: Readonly<Record<string, string>>) {
  return { vips: ['map', Object.entries(vips)] as const };
}
