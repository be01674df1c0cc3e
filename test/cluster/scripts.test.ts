import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { missingForOvn, unpackedOvn } from './unpacked-ovn.ts';

const root = join(import.meta.dirname, '../../..');

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else {
  const folder = mkdtempSync(join(tmpdir(), 'microshift-net-scripts-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'work'));
  cpSync(unpackedOvn(), join(folder, 'upper'), { recursive: true, verbatimSymlinks: true });
  const inside = [join(root, 'test/cluster/scripts-inside.sh'), folder, join(root, 'config/manifests/scripts')];
  const words = ['--mount', '--net', '--pid', '--fork', '--kill-child', 'bash', ...inside];
  const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8', timeout: 100_000 });
  const found = Object.fromEntries(
    stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).trim()]),
  );
  t.comment(stderr.slice(0, 2000));

  t.test('databases, northd and ovn-controller of a real OVN', async (t) => {
    t.match(found, { northd_works: '0', answers_on_tcp: '1' }, 'also over what an earlier run left');
    t.match(
      found,
      { nb_process: 'ovsdb-server', controller_process: 'ovn-controller' },
      'signals reach the daemon itself',
    );
    t.match(found, { controller_end: '0', northd_end: '0', nb_end: '0' }, 'preStop ends them in order');
    t.equal(found.chassis_stays, 'n1', 'a replaced ovn-controller keeps its chassis');
    t.equal(found.database_stays, 'sw0', 'a replaced container keeps the database');
  });

  const common = '--config-file=/run/ovnkube-config/ovnkube.conf --loglevel=4 --enable-multicast';
  t.test('ovnkube is started with the options its release knows', async (t) => {
    t.equal(found.of_2022, `${common} --init-master n1 --init-node n1`);
    const controller = `${common} --init-ovnkube-controller n1 --init-node n1 --single-node`;
    t.equal(found.of_2026, `${common} --init-cluster-manager n1 ${controller}`);
    t.equal(found.of_2026_end, '7', 'the container ends when one of the two does');
    t.equal(found.left_running, '0', 'and takes the other with it');
    t.equal(found.plug_in, 'plug-in');
    t.equal(found.rules, '4', 'one rule per table and direction');
  });

  t.test('among several nodes', async (t) => {
    const addresses = '--nb-address tcp:192.0.2.10:6641 --sb-address tcp:192.0.2.10:6642';
    const ranges = '--cluster-subnets 10.42.0.0/16 --k8s-service-cidrs 10.43.0.0/16';
    t.equal(
      found.among_nodes,
      `${common} --mtu 1442 ${addresses} ${ranges} --init-node n1`,
      'mtu: auto leaves room for the tunnel',
    );
    t.match(found, { too_new: '', too_new_end: '1' }, 'an ovnkube without central databases is not started');
    t.match(found, { without_device: '', without_device_end: '1' }, 'nor one without a device to take the MTU of');
  });
}
