// `firewall check|apply` with a real firewalld.
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { withConfigYaml } from '../config-yaml.ts';
import { builtProgram, withKeptCode } from '../kept-code.ts';
import { createFirewalld, firewalldSkip } from './real-firewalld.ts';

/** Delay of firewalld's reply: longer than a usual D-Bus call, and shorter than the time limit of a change. */
const lateMs = 3_000;
const skip = firewalldSkip() || (!existsSync(builtProgram) && 'the program is not built');

t.test('firewalld', { skip }, async (t) => {
  const firewalld = createFirewalld();
  const [node = '', ...program] = withKeptCode(builtProgram);
  t.teardown(() => firewalld.remove());
  const agent = (...words: string[]) => firewalld.run(node, ...program, 'firewall', ...words);
  const sources = (...words: string[]): string =>
    firewalld.run('firewall-cmd', ...words, '--zone=trusted', '--list-sources').stdout.trim();

  await t.test(
    'while firewalld is not running, `apply` prints commands of other firewalls and changes nothing',
    (t) => {
      const run = agent('apply');
      t.equal(run.status, 5, run.stderr);
      t.match(run.stdout, 'iptables -I INPUT -s 10.42.0.0/16 -j ACCEPT');
      t.match(run.stdout, 'nft insert rule inet filter input ip saddr 169.254.169.1 accept');
      t.match(agent('check'), { status: 0 }, 'check succeeds while firewalld is not running');
      t.end();
    },
  );

  await t.test('check names the settings that firewalld lacks', (t) => {
    firewalld.start();
    const run = agent('check');
    t.equal(run.status, 3, run.stderr);
    t.match(run.stdout, /10\.42\.0\.0\/16 +not now, not after a restart of firewalld \(pods\)/);
    t.equal(sources(), '', 'check changes no source');
    t.end();
  });

  await t.test('apply trusts the networks at once and permanently, without a reload of firewalld', (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--add-source=192.0.2.0/24');
    firewalld.run('firewall-cmd', '--zone=public', '--add-port=9999/tcp');
    const run = agent('apply');
    t.equal(run.status, 0, run.stderr);
    t.match(run.stdout, /^Done, without a reload\./);
    t.strictSame(sources().split(' ').toSorted(), ['10.42.0.0/16', '169.254.169.1', '192.0.2.0/24']);
    t.strictSame(sources('--permanent').split(' ').toSorted(), ['10.42.0.0/16', '169.254.169.1']);
    // Port 9999 is open only in the running configuration, so a reload would have closed it.
    t.equal(firewalld.run('firewall-cmd', '--zone=public', '--query-port=9999/tcp').status, 0);
    t.equal(agent('check').status, 0);
    t.match(agent('apply'), { status: 0, stdout: /^Nothing to do\./ });
    t.end();
  });

  await t.test('a network that firewalld trusts only permanently is also trusted at once', (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--remove-source=10.42.0.0/16');
    t.match(agent('check'), { status: 3, stdout: /10\.42\.0\.0\/16 +not now \(pods\)/ });
    t.equal(agent('apply').status, 0);
    t.equal(agent('check').status, 0);
    t.end();
  });

  await t.test('a source that another zone has is refused', (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--remove-source=10.42.0.0/16');
    firewalld.run('firewall-cmd', '--zone=public', '--add-source=10.42.0.0/16');
    const run = agent('apply');
    t.equal(run.status, 1);
    t.match(run.stderr, /firewalld refused to trust 10\.42\.0\.0\/16: ZONE_CONFLICT/);
    firewalld.run('firewall-cmd', '--zone=public', '--remove-source=10.42.0.0/16');
    t.end();
  });

  await t.test('a cluster with both families trusts its IPv6 networks and those of a connected cluster', (t) => {
    const configYaml = `network:
  clusterNetwork: [10.42.0.0/16, "fd01::/48"]
  serviceNetwork: [10.43.0.0/16, "fd02::/112"]
clusterToCluster:
  remoteClusters: [{nextHop: [192.0.2.20], clusterNetwork: [10.45.0.0/16], serviceNetwork: [10.46.0.0/16]}]
`;
    const dual = (...words: string[]) =>
      firewalld.run(...withConfigYaml(configYaml, [node, ...program, 'firewall', ...words]));
    t.match(dual('check'), { status: 3, stdout: /fd01::\/48 +not now.*\(pods\)[\s\S]*fd69::1 +not now/ });
    t.match(dual('apply'), { status: 0, stdout: /^Done, without a reload\./ });
    for (const where of [[], ['--permanent']]) {
      const trusted = sources(...where).split(' ');
      for (const source of ['fd01::/48', 'fd69::1', '10.45.0.0/16', '10.46.0.0/16'])
        t.ok(trusted.includes(source), source);
      t.notOk(trusted.includes('192.0.2.20'), 'a host of the connected cluster is not trusted');
    }
    t.equal(dual('check').status, 0);
    t.end();
  });

  await t.test('apply waits for the late reply of a busy firewalld', async (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--remove-source=10.42.0.0/16');
    firewalld.signal('SIGSTOP');
    const run = firewalld.spawn(node, ...program, 'firewall', 'apply');
    await setTimeout(lateMs);
    firewalld.signal('SIGCONT');
    t.match(await run, { status: 0, stderr: '' });
    t.equal(agent('check').status, 0);
  });

  await t.test('the networks are still trusted after a restart of firewalld', async (t) => {
    await firewalld.stop();
    t.equal(agent('check').status, 0, 'check does not start a stopped firewalld');
    firewalld.start();
    t.equal(agent('check').status, 0);
  });
});
