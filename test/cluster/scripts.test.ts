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
  const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8', timeout: 100_000, killSignal: 'SIGKILL' });
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
  const election = '--ha-election-lease-duration 137 --ha-election-renew-deadline 107 --ha-election-retry-period 26';

  t.test('ovnkube waits for the bridges it works on, and for nothing an earlier one left', async (t) => {
    t.equal(found.removed, '', 'the CNI configuration of an ovnkube that is gone goes first');
    t.equal(found.unmade, 'waiting for br-ex, which microshift-net apply makes 1', 'the readiness probe says why');
    t.equal(found.before_address, 'waiting for an address on br-ex', "one of ovnkube's own does not do");
    t.equal(found.before_br_int, '', 'br-ex alone does not do');
    t.match(found.awaited, '--init-node n1');
    t.match(found, { not_yet: '1', written: '0' }, 'ready with the new CNI configuration');
    t.match(
      found,
      { alive_before: '0', alive: '0', alive_without_bridge: '0' },
      'the script does not end while it waits for br-ex',
    );
    t.equal(found.bridge_again, 'br-ex was built again after ovnkube started 1', 'another br-ex fails');
    t.match(found.without_br_int, '--init-node n1', 'both waits have their limits');
  });

  t.test('ovnkube is started with the options its release knows', async (t) => {
    t.equal(found.of_2022, `${common} --init-node n1 --init-master n1 ${election}`);
    for (const of of ['of_2024', 'of_2026']) {
      t.equal(found[of], `${common} --init-node n1 --init-ovnkube-controller n1 --single-node`, of);
      t.equal(found[`manager_${of}`], `${common} --init-cluster-manager n1`, of);
      t.equal(found[`${of}_end`], '7', 'its end is the end of the container');
    }
    const none = { manager_of_2022: '', manager_of_2022_ready: '0', manager_of_2022_end: '143' };
    t.match(found, none, 'a container without anything to do stays and is ready');
    t.equal(found.plug_in, 'plug-in');
    t.equal(found.rules, '4', 'one rule per table and direction');
  });

  t.test('among several nodes', async (t) => {
    const addresses = '--nb-address tcp:192.0.2.10:6641 --sb-address tcp:192.0.2.10:6642';
    const ranges = '--cluster-subnets 10.42.0.0/16 --k8s-service-cidrs 10.43.0.0/16';
    t.equal(
      found.among_nodes,
      `${common} ${addresses} ${ranges} --init-node n1 --mtu 1442`,
      'mtu: auto leaves room for the tunnel',
    );
    t.equal(found.central, `${common} ${addresses} ${ranges} --mtu 1442 --init-master n1 ${election}`);
    t.match(found, { too_new: '', too_new_end: '143' }, 'an ovnkube without central databases is not started');
    t.match(
      found.too_new_ready,
      /^this ovnkube has no central databases any more .* 1$/,
      'the readiness probe reports the reason',
    );
    t.match(found, { without_device: '', without_device_end: /^1$/ }, 'nor one without a device to take the MTU of');
  });

  t.test('with a zone per node', async (t) => {
    const ranges = '--cluster-subnets 10.42.0.0/16 --k8s-service-cidrs 10.43.0.0/16';
    t.equal(found.manager_of_zones, `${common} ${ranges} --init-cluster-manager n1`);
    const zone = `${common} ${ranges} --init-node n1 --mtu 1442 --init-ovnkube-controller n1`;
    t.match(found, { before_database: '', zone_of_2024: `${zone} --zone n1` }, 'it waits for its own database');
    t.equal(found.zone_of_database, 'n1 n1', 'and gives it the zone that ovnkube looks for');
    t.equal(found.zone_of_2026, zone.replace('1442', '1422'), 'later every node is a zone without an option');
    for (const container of ['zone_of_2022', 'zones_of_2022']) {
      t.match(found[`${container}_ready`], /^this ovnkube has no zones .* 1$/, 'a release before zones is not started');
      t.match(
        [found[container], found[`${container}_end`]],
        ['', '143'],
        'the container waits instead of restarting repeatedly',
      );
    }
  });
}
