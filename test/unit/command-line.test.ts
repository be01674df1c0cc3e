// The command line as a process: its output and its exit codes.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { builtProgram, withKeptCode } from '../kept-code.ts';

const started = withKeptCode(builtProgram);

interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(words: readonly string[], prefix: readonly string[] = []): Ended {
  // The test runner sets NODE_OPTIONS, which would make the process load the runner's modules and write to its folder.
  const [program = '', ...more] = [...prefix, 'env', '-u', 'NODE_OPTIONS', ...started, ...words];
  return spawnSync(program, more, {
    encoding: 'utf8',
    timeout: 30_000,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
}

t.test('exit codes', (t) => {
  const table: readonly (readonly [words: string, status: number, text: RegExp])[] = [
    ['--help', 0, /^Usage: microshift-net \[options\] \[command\]\n/],
    ['--help', 0, /\nCommands that change nothing:\n {2}plan [\s\S]*\nExamples:\n {2}\$ [\s\S]*\nExit codes:\n {2}0 /],
    ['apply --help', 0, /--confirm-timeout <seconds>/],
    ['apply --help', 0, /^(?![\s\S]*--(boot|repair))/],
    ['disable --help', 0, /^(?![\s\S]*--stop)/],
    ['--help', 0, /^(?![\s\S]*\bhook\b)/],
    ['-o json config show', 0, /^\{/],
    ['config show -o json', 0, /^\{/],
    ['config show -ojson', 0, /^\{/],
    ['config show -o yaml', 2, /option '-o' of this command is short for --output; its value is text or json/],
    ['completion bash', 0, /^# bash completion/],
    ['verify --dry-run', 2, /unknown option '--dry-run'\n\(this command changes nothing/],
    ['overlay apply --dry-run', 2, /\(microshift-net overlay plan shows what it would do/],
    [
      '--dry-run apply',
      2,
      /unknown option '--dry-run'\n\(microshift-net plan shows what apply would do; other commands with a preview take --dry-run behind their name\)/,
    ],
    ['overlay pki issue', 2, /missing required argument 'node' and option '--system-id <id>'\n\(see/],
    ['overlay trace', 2, /missing required arguments 'source', 'destination'/],
    ['--version', 0, /^\d+\.\d+\.\d+(-source)?\n$/],
    ['config schema', 0, /"\$schema"/],
    ['', 2, /Usage: microshift-net/],
    ['aply', 2, /microshift-net: unknown command 'aply'\n\(Did you mean apply\?\)/],
    ['apply --bot', 2, /microshift-net: unknown option '--bot'[\s\S]*\(see microshift-net apply --help\)/],
    ['bridge add', 2, /missing required argument 'nic'\n\(see microshift-net bridge add --help\)/],
    ['overlay pki issue --help', 0, /Global Options:[\s\S]*--output <format>/],
    ['apply --dry-run --boot', 2, /option '--dry-run' cannot be used with option '--boot'/],
    ['plan too many', 2, /microshift-net: too many arguments/],
    ['--output yaml plan', 2, /Allowed choices are text, json/],
    ...['0', '-1', '1.5', 'soon', '86401', '1e9', 'NaN'].map(
      (seconds) => [`apply --confirm-timeout=${seconds}`, 2, /a whole number of seconds from 1 to 86400/] as const,
    ),
    ['apply --confirm-timeout=', 2, /a whole number of seconds from 1 to 86400/],
    ['apply --confirm-timeout', 2, /argument missing/],
  ];
  for (const [words, status, text] of table) {
    const ended = run(words === '' ? [] : words.split(' '));
    t.equal(ended.status, status, `microshift-net ${words}`);
    t.match(status === 0 ? ended.stdout : ended.stderr, text, `microshift-net ${words}`);
    t.equal(status === 0 ? ended.stderr : ended.stdout, '', `microshift-net ${words}: one stream`);
  }
  t.end();
});

t.test('a slow reader gets the whole output', (t) => {
  const words = [
    '--output',
    'json',
    'manifests',
    'render',
    '--image',
    'a/b:1',
    '--cni-bin-dir',
    `/${'a'.repeat(90_000)}`,
  ];
  const { stdout } = run(words, ['sh', '-c', '"$@" | { head -c 1; sleep 1; cat; }', 'sh']);
  t.ok(stdout.length > 100_000, `the output is larger than the buffer of a pipe: ${stdout.length}`);
  t.match(JSON.parse(stdout), { command: 'manifests render', outcome: 'rendered' });
  t.end();
});

t.test('with `--output json`, an error of the command line is a JSON document', (t) => {
  const table: readonly (readonly [words: string, command: string | null, message: RegExp])[] = [
    ['--output json aply', null, /^unknown command 'aply' \(Did you mean apply\?\)$/],
    ['--output json', null, /^a command is missing$/],
    ['--output=json apply --bot', 'apply', /^unknown option '--bot'/],
    ['bridge add --output json', 'bridge add', /^missing required argument 'nic'$/],
    ['--verbose --output json overlay pki issu', 'overlay pki', /^unknown command 'issu'/],
    ['plan too many --output json', 'plan', /^too many arguments/],
    ['apply --confirm-timeout soon --output json', 'apply', /a whole number of seconds/],
  ];
  for (const [words, command, message] of table) {
    const { status, stdout, stderr } = run(words.split(' '));
    t.equal(status, 2, words);
    t.equal(stderr, '', words);
    const error = { kind: 'bad-usage', message, exitCode: 2, hint: /^see microshift-net .*--help$/ };
    t.match(JSON.parse(stdout), { command, outcome: 'error', error }, words);
  }
  t.end();
});

t.test('--help lists the commands', (t) => {
  const { stdout } = run(['--help']);
  for (const command of ['apply', 'confirm', 'undo', 'history', 'plan', 'verify', 'status', 'disable', 'config'])
    t.match(stdout, new RegExp(`^ {2}${command}\\b.{10,}`, 'm'));
  t.end();
});

t.test('a configuration that cannot be read', (t) => {
  const file = join(t.testdir({ 'ovn.yaml': 'mtu: many\n' }), 'ovn.yaml');
  const text = run(['config', 'check', file]);
  t.match(text, { status: 2, stdout: '', stderr: /ovn\.yaml:1:6/ });
  const json = run(['--output', 'json', 'config', 'check', file]);
  t.equal(json.status, 2);
  t.match(JSON.parse(json.stdout), {
    command: 'config check',
    outcome: 'error',
    error: { kind: 'config-invalid', exitCode: 2, retryable: false },
  });
  t.end();
});

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

t.test('commands without root', { skip: whyNotNobody() }, (t) => {
  const services = 'it talks to NetworkManager and Open vSwitch as the system';
  const ofOverlay = 'it talks to Open vSwitch and OVN as the system';
  const ofFirewall = 'it talks to firewalld as the system';
  const keys = 'only root may read the keys in /etc/microshift-net/pki';
  const reasons: Readonly<Record<string, string>> = {
    apply: services,
    confirm: services,
    undo: services,
    plan: services,
    verify: services,
    status: services,
    doctor: services,
    disable: services,
    'bridge list': services,
    'support-bundle': 'only root may read the logs and files that it collects',
    'ovs tune': 'it changes the daemons of Open vSwitch while they run',
    'firewall check': ofFirewall,
    'firewall apply': ofFirewall,
    'overlay status': ofOverlay,
    'overlay nodes': ofOverlay,
    'overlay pki show': keys,
    'overlay pki init': keys,
  };
  for (const [command, why] of Object.entries(reasons)) {
    t.match(
      run(command.split(' '), asNobody),
      {
        status: 2,
        stdout: '',
        stderr: `microshift-net: \`${command}\` needs root, because ${why}; run: sudo microshift-net ${command}\n`,
      },
      command,
    );
  }
  const words = ['disable', '--all', '--dry-run'];
  t.match(run(words, asNobody).stderr, /; run: sudo microshift-net disable --all --dry-run\n$/, 'with all options');
  t.end();
});

t.test('Ctrl-C while a command runs that does not handle it', (t) => {
  const stub = '#!/bin/sh\nkill -INT $PPID\nexec sleep 30\n';
  const names = ['ip', 'nft', 'systemctl', 'nmcli', 'ovs-vsctl', 'ovs-appctl', 'ping', 'iptables'];
  const folder = t.testdir(Object.fromEntries(names.map((name) => [name, stub])));
  for (const name of names) chmodSync(join(folder, name), 0o755);
  const ended = run(['doctor'], ['env', `PATH=${folder}:${process.env.PATH}`]);
  t.match(ended, { status: null, signal: 'SIGINT', stdout: '' });
  t.match(ended.stderr, /microshift-net: stopped by SIGINT; `microshift-net status` shows the state of the node\n$/);
  t.end();
});

function whyNotNobody(): string | false {
  if (process.getuid?.() !== 0) return 'only root can run a process as another user';
  return run(['--version'], asNobody).status === 0 ? false : 'setpriv is missing, or others cannot read this checkout';
}
