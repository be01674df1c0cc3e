// The units that put the manifests on the cluster: well-formed, hardened, started with MicroShift and by a changed file.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';

t.setTimeout(240_000);

const service = 'microshift-net-manifests.service';
const paths = 'microshift-net-manifests.path';
/** Stands in for MicroShift, which cannot run here: it starts, and never writes a kubeconfig. */
const microshift = `[Service]
ExecStart=/bin/sleep infinity
[Install]
WantedBy=multi-user.target
`;

t.test('the units of the manifests', { timeout: 220_000, skip: nodeSkip }, async (t) => {
  const files = {
    '/usr/lib/systemd/system/microshift.service': microshift,
    '/etc/microshift/ovn.yaml': 'manifests:\n  image: registry.example/ovn:1\n',
  };
  const node = await bootNode({ lan: 'static4', files });
  t.teardown(() => node.halt());

  await t.test('are well-formed and hardened', async (t) => {
    const units = [service, paths].map((unit) => `/usr/lib/systemd/system/${unit}`).join(' ');
    const verified = await node.run(`systemd-analyze verify --man=no ${units}`);
    t.equal(verified.exitCode, 0);
    t.notMatch(verified.stderr, /microshift/);
    const security = await node.run(`systemd-analyze security --no-pager --threshold=39 ${service}`);
    t.equal(security.exitCode, 0, security.stdout.trim().split('\n').at(-1) ?? '');
  });

  await t.test('start with MicroShift, and wait for its kubeconfig', async (t) => {
    const log = node.start(`journalctl -f -n 0 -o cat -u ${service}`);
    await node.text(`systemctl enable ${service} ${paths} && systemctl start --no-block ${paths} microshift.service`);
    await log.saw('waiting: MicroShift has not written /var/lib/microshift/resources/kubeadmin/kubeconfig yet');
    await node.text(`systemctl stop ${service}`);
    await log.saw('stopped by SIGTERM');
    t.equal(await node.text('systemctl is-active microshift.service'), 'active');
  });

  await t.test('start again when a file changes, and not without MicroShift', async (t) => {
    const log = node.start(`journalctl -f -n 0 -o cat -u ${service}`);
    await node.text('echo "mtu: 1300" >> /etc/microshift/ovn.yaml');
    await log.saw('waiting: MicroShift has not written');
    await node.text('systemctl stop microshift.service');
    await log.saw('stopped by SIGTERM');
    await node.text('echo "# again" >> /etc/microshift/ovn.yaml');
    await node.text('systemctl stop --no-block microshift.service; sleep 2');
    t.not(await node.text(`systemctl is-active ${service} || :`), 'activating');
    t.equal((await node.run('systemctl is-active microshift.service')).stdout.trim(), 'inactive');
  });
});
