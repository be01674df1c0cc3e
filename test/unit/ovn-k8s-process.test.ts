// The commands of ovn-kubernetes' first tool as a process: the program's name selects the command, and errors name the
// faulty argument.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { builtProgram, withKeptCode } from '../kept-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'old-names-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ['ovn-k8s-overlay', 'ovn-k8s-util', 'ovn-k8s-gateway-helper', 'ovn-k8s-underlay'])
  symlinkSync(builtProgram, join(folder, name));

function run(text: string) {
  const [name = '', ...words] = text.split(' ');
  return spawnSync('env', ['-u', 'NODE_OPTIONS', ...withKeptCode(join(folder, name)), ...words], {
    encoding: 'utf8',
    timeout: 30_000,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
}

const master = 'ovn-k8s-overlay master-init --cluster-ip-subnet=192.168.0.0/16 --node-name=n1';
const minion = 'ovn-k8s-overlay minion-init --cluster-ip-subnet 192.168.0.0/16 --node-name n1';
const gateway = 'ovn-k8s-overlay gateway-init --cluster-ip-subnet=192.168.0.0/16 --node-name=n1';

t.test('the name under which the program is started selects the command', (t) => {
  t.match(run('ovn-k8s-overlay --help'), { status: 0, stdout: /^Usage: ovn-k8s-overlay .*gateway-init/s, stderr: '' });
  for (const option of ['--nb-privkey', '--nb-cert', '--nb-cacert', '--rampout-ip-subnets', '--default-gw'])
    t.match(run('ovn-k8s-overlay gateway-init --help').stdout, option);
  const helps = ['ovn-k8s-overlay', 'ovn-k8s-util', 'ovn-k8s-gateway-helper'].flatMap((name) => {
    const { stdout } = run(`${name} --help`);
    const commands = [...(/\nCommands:\n([\s\S]*)/.exec(stdout)?.[1] ?? '').matchAll(/^ {2}([a-z]\S+-\S+)/gm)];
    return [stdout, ...commands.map(([, command]) => run(`${name} ${command} --help`).stdout)];
  });
  t.equal(helps.length, 8, 'three programs and five commands have a help');
  for (const help of helps) t.notMatch(help, /\b(who|of it|nothing:|is so|all of that)\b/);
  t.match(run('ovn-k8s-underlay --help'), {
    status: 2,
    stderr: /ovn-k8s-underlay: .* not one of ovn-k8s-overlay, /,
  });
  t.end();
});

for (const [words, message] of [
  ['ovn-k8s-overlay', /Usage: ovn-k8s-overlay/],
  ['ovn-k8s-overlay master-ini', /unknown command 'master-ini'\n\(Did you mean master-init\?\)/],
  [
    `${master} --master-switch-subnet=192.168.1.0/24 --mtu=1400`,
    /unknown option '--mtu=1400'\n\(see ovn-k8s-overlay master-init --help\)/,
  ],
  ['ovn-k8s-gateway-helper --physical-bridge=breth0', /required option '--physical-interface <nic>' not specified/],
  ['ovn-k8s-gateway-helper --physical-bridge=b --physical-interface=e --daemon', /unknown option '--daemon'/],
  ['ovn-k8s-util nics-to-bridge', /missing required argument 'nics'/],
  ['ovn-k8s-util bridges-to-nic', /missing required argument 'bridges'/],
  [master, /required option '--master-switch-subnet <subnet>' not specified/],
  [`${master} --master-switch-subnet`, /option '--master-switch-subnet <subnet>' argument missing/],
  [`${master} --master-switch-subnet=`, /--master-switch-subnet is empty; a variable of the shell may not be set/],
  [`${master} --master-switch-subnet=192.168.1`, /--master-switch-subnet: "192\.168\.1" is not an address range/],
  [`${master} --master-switch-subnet=192.168.1.2/24`, /"192\.168\.1\.2\/24" has host bits set/],
  [
    `${minion} --minion-switch-subnet 192.168.2.0/24 --service-cluster-ip-range 192.168.64.0/18`,
    /--service-cluster-ip-range: 192\.168\.64\.0\/18 overlaps --cluster-ip-subnet 192\.168\.0\.0\/16/,
  ],
  [
    `${minion} --minion-switch-subnet 192.168.2.0/24 --service-cluster-ip-range=`,
    /--service-cluster-ip-range is empty/,
  ],
  [`${minion} --minion-switch-subnet 10.1.2.0/24`, /10\.1\.2\.0\/24 is not in --cluster-ip-subnet 192\.168\.0\.0\/16/],
  [
    `${minion} --minion-switch-subnet 192.168.2.0/24 --node-name=n_1`,
    /--node-name: "n_1" cannot be the name of a node/,
  ],
  [`${gateway} --physical-ip 10.0.0.1/24`, /one of --physical-interface and --bridge-interface/],
  [`${gateway} --physical-ip 10.0.0.1/24 --bridge-interface br --physical-interface e`, /and not both/],
  [`${gateway} --bridge-interface=breth0`, /required option '--physical-ip <address>' not specified/],
  [`${gateway} --bridge-interface=breth0 --physical-ip=`, /--physical-ip is empty/],
  [
    `${gateway} --bridge-interface=breth0 --physical-ip=10.0.0.1/255.0.255.0`,
    /"10\.0\.0\.1\/255\.0\.255\.0" is not an address/,
  ],
  [
    `${gateway} --bridge-interface=breth0 --physical-ip=10.0.0.1/24 --default-gw=gw`,
    /--default-gw: "gw" is not an address/,
  ],
  [
    `${gateway} --bridge-interface=breth0 --physical-ip=10.0.0.1/24 --rampout-ip-subnets=10.0.0.0/8`,
    /10\.0\.0\.0\/8 is not in/,
  ],
  [
    `${gateway} --bridge-interface=breth0 --physical-ip=10.0.0.1/24 --rampout-ip-subnet=192.168.2.1/24`,
    /is not a subnet/,
  ],
] as const)
  t.test(words, (t) => {
    t.match(run(words), { status: 2, stdout: '', stderr: message });
    t.end();
  });
