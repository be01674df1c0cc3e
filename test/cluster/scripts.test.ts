import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { missingForOvn, unpackedOvn } from './unpacked-ovn.ts';

const root = join(import.meta.dirname, '../../..');

const reason = missingForOvn();
if (reason !== null) t.pass('the scripts of the containers', { skip: reason });
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
    t.match(
      found,
      { northd_works: '0', answers_on_tcp: '1' },
      'the databases start although an earlier run has left files',
    );
    t.match(
      found,
      { nb_process: 'ovsdb-server', controller_process: 'ovn-controller' },
      'signals reach the daemon itself',
    );
    t.match(
      found,
      { controller_end: '0', northd_end: '0', nb_end: '0' },
      'each daemon exits without an error when it is told to',
    );
    t.equal(found.chassis_stays, 'n1', 'a replaced ovn-controller keeps its chassis');
    t.equal(found.database_stays, 'sw0', 'a replaced container keeps the database');
  });

  const common = '--config-file=/run/ovnkube-config/ovnkube.conf --loglevel=4 --enable-multicast';
  const election = '--ha-election-lease-duration 137 --ha-election-renew-deadline 107 --ha-election-retry-period 26';

  t.test('ovnkube starts only when its bridges exist and have an address', async (t) => {
    t.equal(found.removed, '', 'the CNI configuration of an earlier ovnkube is removed first');
    t.equal(
      found.unmade,
      'waiting for br-ex, which microshift-net apply makes 1',
      'the readiness probe reports the reason',
    );
    t.equal(found.before_address, 'waiting for an address on br-ex', "an address of ovnkube's own does not suffice");
    t.equal(found.before_br_int, '', 'br-ex without br-int does not suffice');
    t.match(found.awaited, '--init-node n1');
    t.match(found, { not_yet: '1', written: '0' }, 'the container is ready only with the new CNI configuration');
    t.match(
      found,
      { alive_before: '0', alive: '0', alive_without_bridge: '0' },
      'the script does not end while it waits for br-ex',
    );
    t.equal(
      found.bridge_again,
      'br-ex was built again after ovnkube started 1',
      'the liveness probe fails if br-ex was built again',
    );
    t.match(found.without_br_int, '--init-node n1', 'ovnkube starts without br-int and an address after a limit');
  });

  t.test('ovnkube is started with the options that its release has', async (t) => {
    t.equal(found.of_2022, `${common} --init-node n1 --init-master n1 ${election}`);
    for (const of of ['of_2024', 'of_2026']) {
      t.equal(found[of], `${common} --init-node n1 --init-ovnkube-controller n1 --single-node`, of);
      t.equal(found[`manager_${of}`], `${common} --init-cluster-manager n1`, of);
      t.equal(found[`${of}_end`], '7', 'the container ends with the exit code of ovnkube');
    }
    const none = { manager_of_2022: '', manager_of_2022_ready: '0', manager_of_2022_end: '143' };
    t.match(found, none, 'a container without work keeps running and is ready');
    t.equal(found.plug_in, 'plug-in');
    t.equal(found.rules, '4', 'the node has one rule per table and direction');
  });

  t.test('the flavour multi-node', async (t) => {
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
    t.match(
      found,
      { without_device: '', without_device_end: /^1$/ },
      'ovnkube is not started without a device from which to take the MTU',
    );
  });

  t.test('the flavour interconnect, with a zone per node', async (t) => {
    const ranges = '--cluster-subnets 10.42.0.0/16 --k8s-service-cidrs 10.43.0.0/16';
    t.equal(found.manager_of_zones, `${common} ${ranges} --init-cluster-manager n1`);
    const zone = `${common} ${ranges} --init-node n1 --mtu 1442 --init-ovnkube-controller n1`;
    t.match(
      found,
      { before_database: '', zone_of_2024: `${zone} --zone n1` },
      'ovnkube waits for the database of its zone',
    );
    t.equal(found.zone_of_database, 'n1 n1', 'the script writes the zone that ovnkube expects into the databases');
    t.equal(found.zone_of_2026, zone.replace('1442', '1422'), 'a later release needs no option for the zone');
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
