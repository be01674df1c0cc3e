// `overlay init` on a data path that lacks a feature that OVN needs: with a simulated database of Open vSwitch, a
// process that only has the name ovs-vswitchd, and an ovs-appctl that prints a given answer.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { defaultConfig } from '../../../../../agent/config/defaults.ts';
import { initOverlay } from '../../../../../agent/run/overlay/membership/init-overlay.ts';
import { refuseWithoutConntrack } from '../../../../../agent/run/overlay/ovn/datapath-support.ts';
import { overlayPlaces } from '../../../../../agent/run/overlay/record/places.ts';
import { failure } from '../../../failure.ts';
import { startFakeServer } from '../../../ovsdb/fake-server.ts';

const tables = { Bridge: { columns: { name: { type: 'string' }, datapath_type: { type: 'string' } } } };
const bridge = { _uuid: ['uuid', '00000000-0000-4000-8000-000000000001'], name: 'br-ex', datapath_type: '' };
const features = 'CT state: Yes\nCT zone: Yes\nCT mark: Yes\nCT label: Yes\nCT state NAT: No\n';

t.test('a data path without connection tracking', async (t) => {
  const server = await startFakeServer((message, peer) => {
    if (message.method === 'get_schema') peer.reply(message, { name: 'Open_vSwitch', version: '8.0.0', tables });
    else peer.reply(message, [{ rows: [bridge] }]);
  });
  t.teardown(() => server.stop());
  const folder = t.testdir({ bin: { 'ovs-appctl': `#!/bin/sh\ncat "${path.dirname(server.path)}/features"\n` } });
  chmodSync(path.join(folder, 'bin/ovs-appctl'), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${folder}/bin:${before}`;
  t.teardown(() => {
    process.env.PATH = before;
  });
  const ovsRun = path.dirname(server.path);
  const daemon = spawn('sleep', ['600'], { argv0: 'ovs-vswitchd', stdio: 'ignore' });
  t.teardown(() => daemon.kill());
  writeFileSync(`${ovsRun}/ovs-vswitchd.pid`, `${daemon.pid}\n`);
  const record = path.join(folder, 'overlay.json');
  const places = { ...overlayPlaces, ovsRun, record, systemId: `${folder}/system-id.conf`, pki: `${folder}/pki` };
  const say = (step: string): void => void t.fail(`nothing is begun or waited for: ${step}`);

  await t.test('the data path is refused before the first change, and the error names the missing parts', async (t) => {
    writeFileSync(`${ovsRun}/features`, features);
    await t.rejects(
      initOverlay(defaultConfig, 'id', places, say),
      failure('kernel-datapath-missing', {
        message: /^this kernel's data path lacks CT state NAT, without which OVN cannot work$/,
        facts: { missing: ['CT state NAT'] },
      }),
    );
    t.strictSame([record, places.systemId, places.pki].filter(existsSync), []);
    t.notOk(
      server.received.some(({ method }) => method === 'monitor'),
      'the command does not wait for a row',
    );
  });

  await t.test('a complete data path is not refused', async () => {
    writeFileSync(`${ovsRun}/features`, features.replace('NAT: No', 'NAT: Yes'));
    await refuseWithoutConntrack(defaultConfig, places);
  });
});
