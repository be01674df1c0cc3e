// `doctor` on a defective node: it finds the defect even if other parts do not work, and prints the fix.
// bond-monitor.test.ts has `doctor` on a node with the kernel's data path.
import t from 'tap';
import type { CheckResult } from '../../agent/model/examination.ts';
import { parseMetrics } from '../unit/run/exposition.ts';
import { nodeSkip } from './availability.ts';
import { afterStep, apply, held, holdAfter } from './interfere.ts';
import { bootNode, type TestNode } from './node.ts';

const secret = 'pl4nted-s3cret';
const keyfile = `[connection]
id=office
uuid=5e9b1f4e-6d4c-4b5a-9d0e-0badc0ffee00
type=ethernet
autoconnect=false
interface-name=eth9

[802-1x]
eap=peap;
identity=node
password=${secret}-8021x
phase2-auth=mschapv2
private-key-password=${secret}-key

[wifi-security]
key-mgmt=wpa-psk
psk=${secret}-psk-of-eight
`;

interface Report {
  readonly exitCode: number | null;
  readonly checks: readonly CheckResult[];
  readonly wallMs: number;
  /** Returns the results of the checks with this verdict by their id: the finding and the fix. */
  readonly of: (verdict: CheckResult['verdict']) => Record<string, string>;
}

async function examined(node: TestNode, env: Record<string, string> = {}): Promise<Report> {
  const words = 'microshift-net --output json --verbose doctor';
  const { exitCode, stdout, stderr, startedAt, endedAt } = await node.run(words, { env });
  if (stdout === '') throw new Error(stderr);
  const { checks, diagnostics } = JSON.parse(stdout) as {
    checks: readonly CheckResult[];
    diagnostics: { examination: object };
  };
  if (process.env.KEEP_EXAMINATION !== undefined) {
    const { appendFileSync } = await import('node:fs');
    appendFileSync(process.env.KEEP_EXAMINATION, `${JSON.stringify(diagnostics.examination)}\n`);
  }
  const of: Report['of'] = (verdict) =>
    Object.fromEntries(
      checks
        .filter((check) => check.verdict === verdict)
        .map(({ id, found, fix }) => [id, [...found, ...fix.map((line) => `fix: ${line}`)].join('\n')]),
    );
  return { exitCode, checks, wallMs: endedAt - startedAt, of };
}

t.test('doctor in a node', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine' });
  t.teardown(() => node.halt());

  await t.test('before the first run, the missing bridge and unit are reported', async (t) => {
    const report = await examined(node);
    t.equal(report.exitCode, 3);
    t.match(report.of('failed'), {
      drift: /bridge br-ex: wanted present, observed absent[\s\S]*fix: microshift-net apply/,
    });
    t.match(report.of('warning'), {
      unit: /nothing sets up br-ex at boot[\s\S]*fix: systemctl enable microshift-ovs-init/,
    });
  });

  await t.test('on a node in the desired state, no check fails', async (t) => {
    t.equal((await node.run(apply)).exitCode, 0);
    const report = await examined(node);
    t.strictSame(report.of('failed'), {});
    t.equal(report.exitCode, 0);
    t.comment(`doctor took ${Math.round(report.wallMs)} ms; warnings: ${JSON.stringify(report.of('warning'))}`);
    const text = await node.run('microshift-net doctor');
    t.match(text, { exitCode: 0, stderr: '', stdout: /^ok +networkmanager /m });
    t.match(text.stdout, /\n0 failed, \d+ warnings?, \d+ ok, \d+ not applicable\n$/);
  });

  await t.test('every run writes metrics, also a run with nothing to do', async (t) => {
    const unchanged = async (): Promise<number> => {
      const text = await node.read('/run/microshift-net/metrics.prom');
      return parseMetrics(text ?? '').value('microshift_net_runs_total', { outcome: 'unchanged' }) ?? 0;
    };
    const earlier = await unchanged();
    t.match(await node.run(apply), { exitCode: 0, stdout: /^Nothing to do/ });
    t.ok((await unchanged()) > earlier, 'the run is counted, and perhaps also a run after an event');
    const metrics = parseMetrics((await node.read('/run/microshift-net/metrics.prom')) ?? '');
    t.equal(metrics.value('microshift_net_runs_total', { outcome: 'changed' }), 1);
    t.equal(metrics.value('microshift_net_last_run_differences', {}), 0);
    t.equal(metrics.value('microshift_net_bridge_info', { bridge: 'br-ex', uplink: 'eth0' }), 1);
    t.equal(metrics.value('microshift_net_last_transaction_state', { state: 'committed' }), 1);
    t.match(JSON.parse((await node.read('/run/microshift-net/status.json')) ?? ''), { outcome: 'unchanged' });
  });

  await t.test('several defects at the same time are all reported', async (t) => {
    await node.text(`set -e
      systemctl mask NetworkManager-wait-online.service
      mkdir -p /etc/ovnk; mkdir /etc/ovnk/extra_bridge; printf 'eth7\\n' > /var/lib/ovnk/iface_default_hint
      ovs-vsctl add-br br-old -- set Bridge br-old datapath_type=netdev external_ids:NM.connection.uuid=0badf00d-0000-4000-8000-000000000000
      printf x > /etc/NetworkManager/system-connections/eth0.nmconnection.A1B2C3
      nmcli connection add save no type dummy ifname dummy9 con-name "$(printf '\\033[31m')dummy9-slave-ovs-clone" autoconnect no
      printf '#!/bin/sh\\nsleep 600\\n' > /run/testnode/dhclient; chmod +x /run/testnode/dhclient
      ip link set eth0 mtu 1400
      mkdir -p /etc/systemd/system/microshift-ovs-init.service.d
      printf '[Unit]\\nBefore=\\nAfter=\\n' > /etc/systemd/system/microshift-ovs-init.service.d/mine.conf
      systemctl daemon-reload
      mount -t tmpfs -o ro none /var/lib/ovnk`);
    const client = node.start('exec /run/testnode/dhclient eth0');
    const report = await examined(node);
    t.equal(report.exitCode, 3);
    t.match(report.of('warning'), { 'wait-online': /is masked[\s\S]*fix: systemctl unmask/ });
    t.match(report.of('failed'), {
      'hint-files': /extra_bridge is a directory[\s\S]*fix: rm -r/,
      leftovers: /profile \\u\{1b\}\[31mdummy9-slave-ovs-clone is a copy that configure-ovs.sh made/,
      owners: /a second DHCP client runs: .*dhclient eth0/,
      mtu: /br-ex has MTU 1500, eth0 only 1400/,
      disk: /\/var\/lib\/ovnk is on \/var\/lib\/ovnk, which is read-only/,
    });
    t.match(report.of('failed').leftovers, /bridge br-old belongs to a profile that is gone/);
    t.match(report.of('failed').leftovers, /eth0\.nmconnection\.A1B2C3 is an incomplete profile/);
    await client.signal('SIGKILL');
    await node.text(`umount /var/lib/ovnk; systemctl unmask NetworkManager-wait-online.service
      rmdir /etc/ovnk/extra_bridge; printf 'eth0\\n' > /var/lib/ovnk/iface_default_hint; ovs-vsctl del-br br-old
      rm /etc/NetworkManager/system-connections/*.A1B2C3 /etc/systemd/system/microshift-ovs-init.service.d/mine.conf
      nmcli connection delete "$(printf '\\033[31m')dummy9-slave-ovs-clone"; ip link set eth0 mtu 1500; systemctl daemon-reload`);
    t.strictSame((await examined(node)).of('failed'), {}, 'after its fixes were applied, no check fails');
  });

  await t.test('support-bundle has everything but secrets', async (t) => {
    await node.write('/etc/NetworkManager/system-connections/office.nmconnection', keyfile);
    await node.write('/root/elsewhere', `password=${secret}-elsewhere\n`);
    await node.write(
      '/var/lib/microshift-net/tx/broken.json',
      `{"psk":"${secret}-journal"}\nnot JSON, token: ${secret}-line\n`,
    );
    await node.write('/etc/microshift/ovn.yaml', `# password: ${secret}-comment\nuplink: auto\n`);
    await node.text(`set -e; chmod 600 /etc/NetworkManager/system-connections/office.nmconnection
      ln -s /root/elsewhere /etc/NetworkManager/system-connections/trap.nmconnection
      ln -s /root/elsewhere /etc/ovnk/default_bridge
      nmcli connection load /etc/NetworkManager/system-connections/office.nmconnection
      ovs-vsctl set Open_vSwitch . external_ids:k8s-api-token=${secret}-ovsdb
      systemd-run --quiet --wait --unit=microshift-net-said echo "supplicant: said ${secret}-psk-of-eight aloud, and password: ${secret}-unit"`);

    const run = await node.run('umask 0; microshift-net --output json support-bundle -o /root/bundle.tar.gz');
    t.match(run, { exitCode: 0 });
    t.comment(`support-bundle took ${Math.round(run.endedAt - run.startedAt)} ms`);
    const { sizeBytes, entries } = JSON.parse(run.stdout) as {
      sizeBytes: number;
      entries: readonly { file: string; bytes: number; note: string | null }[];
    };
    t.comment(
      `${sizeBytes} bytes, ${entries.length} files; notes: ${JSON.stringify(entries.filter((entry) => entry.note))}`,
    );
    t.equal(await node.text('stat -c %a:%U /root/bundle.tar.gz'), '600:root');
    await node.text('mkdir /root/bundle; tar -xzf /root/bundle.tar.gz -C /root/bundle --strip-components=1');
    t.equal((await node.run(`grep -rlaF '${secret}' /root/bundle`)).stdout, '', 'no file has a secret');
    t.equal(
      await node.text(`zcat /root/bundle.tar.gz | grep -caF '${secret}' || true`),
      '0',
      'no file name in the archive has a secret',
    );

    const has = async (file: string, pattern: RegExp): Promise<void> => {
      t.match(await node.read(`/root/bundle/${file}`), pattern, file);
    };
    await has('CONTENTS.txt', /secrets are masked[\s\S]*reports\/doctor\.json/);
    await has('CONTENTS.txt', /versions\/packages\.txt .*ENOENT|versions\/packages\.txt\n/);
    await has('reports/doctor.txt', /^FAILED +hint-files/m);
    await has('reports/doctor.json', /"examination": \{/);
    await has('reports/plan.json', /"observation": \{|"error": \{/);
    await has('reports/status.json', /"networkManager": \{/);
    await has('reports/config.json', /"uplink"/);
    await has('ip/addresses.txt', /192\.0\.2\.50/);
    await has('openvswitch/show.txt', /Bridge br-ex/);
    await has('openvswitch/Open_vSwitch.txt', /k8s-api-token="?\(masked\)/);
    await has('networkmanager/devices.txt', /GENERAL\.DEVICE/);
    await has('journal/microshift-net.txt', /supplicant: said \(masked\) aloud, and password: \(masked\)/);
    await has('journal/networkmanager.txt', /NetworkManager/);
    await has('units/files.txt', /ExecStart=\/usr\/bin\/microshift-net apply --boot/);
    await has('files/run/microshift-net/metrics.prom', /microshift_net_info/);
    await has('files/etc/microshift/ovn.yaml', /# password: \(masked\)\nuplink: auto/);
    await has('files/etc/NetworkManager/system-connections/office.nmconnection', /identity=node\npassword=\(masked\)/);
    await has('files/run/NetworkManager/system-connections/br-ex.nmconnection', /type=ovs-bridge/);
    t.equal(entries.find((entry) => entry.file.endsWith('trap.nmconnection'))?.bytes, 0, 'links are not followed');
    const journals = entries.filter((entry) => entry.file.startsWith('files/var/lib/microshift-net/tx/2'));
    t.ok(journals.length > 0 && journals.every((entry) => entry.bytes > 1000), 'the bundle has the journals');

    await node.text('ln -s /root/victim /root/link.tar.gz; echo kept > /root/taken');
    for (const target of ['/root/link.tar.gz', '/root/taken', '/root/no/such/folder'])
      t.match(
        await node.run(`microshift-net support-bundle -o ${target}`),
        { exitCode: 1, stderr: /cannot be written/ },
        target,
      );
    t.equal(await node.read('/root/victim'), null);
    t.equal(await node.read('/root/taken'), 'kept\n');
    t.equal(await node.text('ls -d /run/microshift-net/support-* 2> /dev/null || true'), '', 'nothing is left in /run');
    t.equal(
      await node.text('microshift-net support-bundle -o - 2> /dev/null | tar -tz | grep -c CONTENTS'),
      '1',
      'the bundle can be written to a pipe',
    );
    await node.text(`rm /etc/NetworkManager/system-connections/{office,trap}.nmconnection /etc/ovnk/default_bridge
      rm /var/lib/microshift-net/tx/broken.json /etc/microshift/ovn.yaml; nmcli connection reload
      ovs-vsctl remove Open_vSwitch . external_ids k8s-api-token`);
  });

  await t.test('an unknown key in ovn.yaml is reported', async (t) => {
    await node.write('/etc/microshift/ovn.yaml', 'uplnk: eth0\n');
    const report = await examined(node);
    t.match(report.of('failed'), { configuration: /unknown key uplnk[\s\S]*fix: .*microshift-net config check/ });
    t.match(await node.run(apply), { exitCode: 2, stderr: /unknown key uplnk/ });
    const recorded = JSON.parse((await node.read('/run/microshift-net/status.json')) ?? '') as object;
    t.match(
      recorded,
      { outcome: 'failed', error: { kind: 'config-invalid', exitCode: 2 } },
      'status.json has the error',
    );
    await node.text('rm /etc/microshift/ovn.yaml');
  });

  await t.test('the fix for an address that MicroShift does not find on br-ex works', async (t) => {
    await node.write('/run/systemd/system/microshift.service', '[Service]\nExecStart=/bin/sleep infinity\n');
    const address = await node.text("ip -4 -o address show dev br-ex scope global | awk '{print $4}' | cut -d/ -f1");
    await node.write('/etc/microshift/config.yaml', `node:\n  nodeIP: ${address}\n`);
    await node.text('systemctl daemon-reload');
    const before = await examined(node);
    t.match(before.of('failed'), { 'microshift-node-ip': /is on br-ex and nowhere else/ });
    const fix = before.checks.find((check) => check.id === 'microshift-node-ip')?.fix[0] ?? '';
    t.equal(fix, 'microshift-net apply');
    await node.text(fix);
    t.match((await examined(node)).of('ok'), { 'microshift-node-ip': `MicroShift takes ${address} for the node's` });
    const plan = await node.run('microshift-net plan');
    t.match(plan, { exitCode: 0, stdout: `eth0, from node.nodeIP ${address} (/etc/microshift/config.yaml:2)` });
    t.match(plan.stdout, 'Nothing to do: the node is in the desired state.');
    await node.text(`ip address delete ${address}/32 dev lo; rm /etc/microshift/config.yaml
      rm /run/systemd/system/microshift.service; systemctl daemon-reload`);
  });

  await t.test('NetworkManager hangs, or the address of the system bus does not exist', async (t) => {
    await node.text('kill -STOP $(pidof NetworkManager)');
    const hung = await examined(node);
    t.equal(hung.exitCode, 3);
    t.match(hung.of('failed'), {
      networkmanager: /did not answer within 10 s[\s\S]*fix: systemctl restart NetworkManager/,
    });
    t.match(hung.of('ok'), { ovsdb: /answers/, vswitchd: /answers/ });
    const bundle = await node.run('microshift-net support-bundle -o /root/hung.tar.gz');
    t.match(bundle, { exitCode: 0, stdout: /\/root\/hung\.tar\.gz/ });
    t.comment(`support-bundle took ${Math.round(bundle.endedAt - bundle.startedAt)} ms`);
    const contents = await node.text("tar -xzOf /root/hung.tar.gz --wildcards '*/CONTENTS.txt'");
    t.match(contents, /reports\/plan\.json {2}\(no answer /);
    t.match(contents, /networkmanager\/devices\.txt {2}\(ended/);
    t.match(contents, /reports\/doctor\.json\n/);
    const stopped = node.start('exec microshift-net support-bundle -o /root/stopped.tar.gz');
    await stopped.saw('collecting');
    await stopped.signal('SIGTERM');
    t.match(await stopped.ended, { exitCode: 1, stderr: /stopped by SIGTERM/ });
    t.equal(await node.text('ls -d /root/stopped.tar.gz /run/microshift-net/support-* 2> /dev/null || true'), '');
    await node.text('kill -CONT $(pidof NetworkManager)');
    const without = await examined(node, { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/run/testnode/none' });
    t.match(without.of('failed'), { networkmanager: /cannot be reached[\s\S]*fix: systemctl start dbus.socket/ });
    t.match(without.of('ok'), { ovsdb: /answers/, unit: null, 'unit-order': /after openvswitch.service/ });
  });

  await t.test('ovs-vswitchd hangs', async (t) => {
    await node.text('kill -STOP $(pidof ovs-vswitchd)');
    const commands = ['verify', 'plan', 'apply'];
    const runs = await Promise.all(commands.map((command) => node.run(`microshift-net ${command}`)));
    for (const [index, command] of commands.entries())
      t.match(runs[index], { exitCode: 5, stderr: /ovs-vswitchd does not respond: .*systemctl restart/ }, command);
    await node.text('kill -CONT $(pidof ovs-vswitchd)');
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /Nothing to do/ });
    await node.text('microshift-net verify');
  });

  await t.test('ovsdb-server is stopped', async (t) => {
    await node.text(
      'systemctl stop ovsdb-server.socket ovsdb-server.service 2> /dev/null; systemctl stop ovsdb-server',
    );
    const report = await examined(node);
    t.equal(report.exitCode, 3);
    t.match(report.of('failed'), {
      ovsdb: /ovsdb-server cannot be reached[\s\S]*ovsdb-server.service is inactive[\s\S]*fix: /,
    });
    t.match(report.of('failed'), { vswitchd: /fix: / });
    await node.text('systemctl start openvswitch');
  });

  await t.test('a run that was interrupted by a crash', async (t) => {
    await node.run('microshift-net disable');
    // The unit is masked, because it would repair the node before doctor looks.
    await node.text('systemctl mask --quiet --runtime microshift-net-died.service');
    await holdAfter(node, afterStep.profiles);
    const run = node.start(apply);
    await run.saw(held);
    t.match((await examined(node)).of('ok'), { journal: /a run is in progress: .*apply/ });
    const record = await node.read('/run/microshift-net/status.json');
    t.match(await node.run(apply), { exitCode: 1, stderr: /another run is in progress/ });
    t.equal(await node.read('/run/microshift-net/status.json'), record, 'a run without the lock writes no record');
    await run.signal('SIGKILL');
    await run.ended;
    t.match((await examined(node)).of('failed'), {
      journal: /was interrupted by a crash[\s\S]*fix: microshift-net apply/,
    });
  });
});
