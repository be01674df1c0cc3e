// Changes of services in a real southbound database: the daemon gets notifications of changes to its node's inbound
// services, and of no others.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { connect, update } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayRecord } from '../../agent/model/overlay-record.ts';
import { rangeOptions } from '../../agent/overlay/services/permitted-clients.ts';
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
  const places = { ...overlayPlaces, services: join(folder, 'services.json'), ovsRun: folder };
  const router = run('ovn-sbctl', 'create', 'Datapath_Binding', 'tunnel_key=7', 'external_ids:name=GR_n1').trim();
  const tellsRouters = readFileSync(join(release.schemas, 'ovn-sb.ovsschema'), 'utf8').includes('lr_datapath_group');
  /** Inserts a load balancer of the gateway of n1, as ovn-northd writes it, and returns its UUID. */
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
  const forgotten = recordForgotten(t, folder);
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
  t.equal(news, 1, 'a NodePort of the node is reported');
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
  t.equal(news, 2, 'another NodePort is reported, and neither changed endpoints nor NodePorts of other nodes');
  await place({ '10.43.0.1:443': '192.0.2.11:6443' });
  t.equal(news, 3, 'a service whose server is the node itself is reported');
  const limited = await place({ '192.0.2.11:30083': '10.42.1.9:8080' });
  const restricted = once(events, 'news', { signal: AbortSignal.timeout(60_000) });
  const options = Object.entries(rangeOptions(['192.0.2.11:30083'], ['203.0.113.0/24']));
  await southbound.transact('OVN_Southbound', [
    update('Load_Balancer', [['_uuid', '==', ['uuid', limited]]], { options: ['map', options] as const }),
  ]);
  await restricted;
  t.equal(news, 5, 'changed source ranges are reported');

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
  t.pass('the addresses that its own gateway and other gateways announce are reported');

  const dns = run('ovn-sbctl', 'create', 'Load_Balancer', 'name=dns', 'protocol=udp').trim();
  const where = [['_uuid', '==', ['uuid', dns]]] as const;
  // The transactions follow each other faster than the watch examines the services.
  for (const vips of [{ '10.43.0.10:53': '10.42.0.9:8053' }, { '10.43.0.10:53': '10.42.1.9:8053' }, {}])
    await southbound.transact('OVN_Southbound', [update('Load_Balancer', where, mapped(vips))]);
  for (const server of ['=10.42.0.9,', '=10.42.1.9,']) await forgotten.times(server, 1);
  t.pass('connections to a removed server are removed, however short its service was');
  const answer = (number: number) => `nb_cfg=${number}`;
  run('ovn-sbctl', 'create', 'Chassis_Private', `name=${node.systemId}`, answer(0));
  run('ovn-sbctl', 'create', 'Load_Balancer', 'name=dns2', 'protocol=udp', 'vips:"10.43.0.11:53"="10.42.2.9:8053"');
  run('ovn-sbctl', 'set', 'SB_Global', '.', answer(1), '--', '--all', 'destroy', 'Load_Balancer');
  await forgotten.times('=10.42.2.9,', 1);
  run('ovn-sbctl', 'set', 'Chassis_Private', node.systemId, answer(1));
  await forgotten.times('revalidator/wait', 2);
  t.pass('they are removed again after ovn-controller has answered the request of the transaction');
}

/**
 * Puts stand-ins for ovs-ofctl and ovs-appctl first in the path, which record the servers whose connections are
 * removed, and the commands to ovs-vswitchd. `times` settles when a text has been recorded so many times.
 */
function recordForgotten(t: Test, folder: string) {
  const [bin, log] = [join(folder, 'recording'), join(folder, 'forgotten')];
  mkdirSync(bin);
  writeFileSync(log, '');
  for (const [name, word] of [
    ['ovs-ofctl', 6],
    ['ovs-appctl', 3],
  ] as const)
    writeFileSync(join(bin, name), `#!/bin/sh\necho "$${word}" >> ${log}\n`, { mode: 0o755 });
  const inPlace = spawn('sleep', ['infinity'], { argv0: 'ovs-vswitchd' });
  t.teardown(() => inPlace.kill());
  writeFileSync(join(folder, 'ovs-vswitchd.pid'), String(inPlace.pid));
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  t.teardown(() => {
    process.env.PATH = before;
  });
  return {
    times: (text: string, count: number): Promise<void> =>
      new Promise((resolve) => {
        const watcher = watch(log);
        const look = (): void => {
          const lines = readFileSync(log, 'utf8').split('\n');
          if (lines.filter((line) => line.includes(text)).length < count) return;
          watcher.close();
          resolve();
        };
        watcher.on('change', look);
        look();
      }),
  };
}

function mapped(vips: Readonly<Record<string, string>>) {
  return { vips: ['map', Object.entries(vips)] as const };
}
