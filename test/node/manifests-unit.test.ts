// Units that apply the manifests: they are valid, have a sandbox, and start with MicroShift and after a change of a
// file.
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { apiStandIn, apiStandInPath, writeKubeconfig } from './api-stand-in.ts';
import { nodeSkip } from './availability.ts';
import { followJournal } from './follow-journal.ts';
import { bootNode } from './node.ts';

const service = 'microshift-net-manifests.service';
const paths = 'microshift-net-manifests.path';
/** Stand-in for MicroShift, which cannot run in the test node: it starts, and never writes a kubeconfig. */
const microshift = `[Service]
ExecStart=/bin/sleep infinity
[Install]
WantedBy=multi-user.target
`;

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

t.test('the units of the manifests', { skip: nodeSkip }, async (t) => {
  const files = {
    '/usr/lib/systemd/system/microshift.service': microshift,
    ...(hasOpenssl ? apiStandIn(t.testdir({})) : {}),
    '/etc/microshift/config.yaml': 'network:\n  cniPlugin: none\n',
    '/etc/microshift/ovn.yaml': 'manifests:\n  image: registry.example/ovn:1\n',
  };
  const node = await bootNode({ lan: 'static4', kernel: 'of this machine', files });
  t.teardown(() => node.halt());

  await t.test('are well-formed and hardened', async (t) => {
    const units = [service, paths].map((unit) => `/usr/lib/systemd/system/${unit}`).join(' ');
    const verified = await node.run(`systemd-analyze verify --man=no ${units}`);
    t.equal(verified.exitCode, 0);
    t.notMatch(verified.stderr, /microshift/);
    const security = await node.run(`systemd-analyze security --no-pager --threshold=20 ${service}`);
    t.equal(security.exitCode, 0, security.stdout.trim().split('\n').at(-1) ?? '');
  });

  await t.test('start with MicroShift, and wait for its kubeconfig', async (t) => {
    const log = await followJournal(node, `-u ${service}`);
    await node.text(`systemctl enable ${service} ${paths} && systemctl start --no-block ${paths} microshift.service`);
    await log.saw('waiting: MicroShift has not written /var/lib/microshift/resources/kubeadmin/kubeconfig yet');
    await node.text(`systemctl stop ${service}`);
    await log.saw('stopped by SIGTERM');
    t.equal(await node.text('systemctl is-active microshift.service'), 'active');
  });

  await t.test('create the objects in the cluster', { skip: !hasOpenssl && 'openssl is not installed' }, async (t) => {
    const api = node.start(apiStandInPath);
    await api.saw('listening');
    await node.text(writeKubeconfig);
    t.equal((await node.run(`systemctl start ${service}`)).exitCode, 0, await node.journal(service));
    t.match(api.stdout(), /^put \/apis\/apps\/v1\/namespaces\/openshift-ovn-kubernetes\/daemonsets\/ovnkube-node$/m);
    t.match(await node.journal(service), /objects touched/);
    await node.text(`rm -r /var/lib/microshift`);
    await api.signal('SIGTERM');
  });

  await t.test('start again when a file changes, but only while MicroShift is running', async (t) => {
    const log = await followJournal(node, `-u ${service}`);
    await node.text('echo "mtu: 1300" >> /etc/microshift/ovn.yaml');
    await log.saw('waiting: MicroShift has not written');
    await node.text('systemctl stop microshift.service');
    await log.saw('stopped by SIGTERM');
    await node.text('echo "# again" >> /etc/microshift/ovn.yaml');
    await node.text('systemctl stop --no-block microshift.service; sleep 2');
    t.not(await node.text(`systemctl is-active ${service} || :`), 'activating');
    t.equal((await node.run('systemctl is-active microshift.service')).stdout.trim(), 'inactive');
  });

  await t.test('succeed without a change where MicroShift has a network of its own', async (t) => {
    const log = await followJournal(node, `-u ${service}`);
    await node.text('echo "network: {}" > /etc/microshift/config.yaml && systemctl start microshift.service');
    await log.saw('Nothing to do: network.cniPlugin is not none');
    await log.saw('Deactivated successfully');
    t.equal((await node.run(`systemctl is-failed ${service}`)).stdout.trim(), 'inactive');
  });
});
