import { spawnSync } from 'node:child_process';
import t from 'tap';
import { sshClient } from '../../../agent/drivers/host/process/ssh-client.ts';

const from = (client: string): NodeJS.ProcessEnv => ({ SSH_CONNECTION: `${client} 50000 192.0.2.50 22` });

t.test('the client in SSH_CONNECTION', (t) => {
  const table: readonly (readonly [client: string, found: string | null])[] = [
    ['192.0.2.9', '192.0.2.9'],
    ['2001:db8::9', '2001:db8::9'],
    ['fe80::9%eth0', 'fe80::9%eth0'],
    ['-f', null],
    ['-p00', null],
    ['host.example', null],
    ['192.0.2.9;reboot', null],
    ['', null],
  ];
  for (const [client, found] of table) t.equal(sshClient(from(client), 1), found, client);
  t.equal(sshClient({}, 1), null);
  t.end();
});

t.test('the client in SSH_CONNECTION of an ancestor, if sudo has removed the variable', (t) => {
  const root = t.testdir({
    proc: {
      '30': { environ: 'PATH=/bin\0XSSH_CONNECTION=192.0.2.1 1\0', status: 'Name:\tsudo (x)\nPPid:\t20\n' },
      '20': {
        environ: 'PATH=/bin\0SSH_CONNECTION=192.0.2.9 50000 192.0.2.50 22\0',
        status: 'Name:\tbash\nPPid:\t10\n',
      },
      '10': { environ: 'SSH_CONNECTION=192.0.2.7 1 192.0.2.50 22', status: 'Name:\tsshd\nPPid:\t1\n' },
      '1': { environ: 'SSH_CONNECTION=192.0.2.6 1 192.0.2.50 22', status: 'Name:\tsystemd\nPPid:\t0\n' },
      '40': { environ: 'SSH_CONNECTION=-f 1', status: 'Name:\tbash\nPPid:\t50\n' },
    },
  });
  t.equal(sshClient({}, 30, root), '192.0.2.9', 'the client of the nearest ancestor is used');
  t.equal(
    sshClient(from('192.0.2.8'), 30, root),
    '192.0.2.8',
    "the client in the process's own environment comes first",
  );
  t.equal(sshClient(from('no-address'), 30, root), '192.0.2.9');
  t.equal(sshClient({}, 40, root), null, 'an ancestor that has ended has no client');
  t.equal(sshClient({}, 1, root), null, 'the environment of the first process is not read');
  t.end();
});

t.test('the client in SSH_CONNECTION of a real ancestor', (t) => {
  const script = `import('${new URL('../../../agent/drivers/host/process/ssh-client.js', import.meta.url)}').then((m) => console.log(m.sshClient()))`;
  const shell = 'env -i "$0" -e "$1"; true';
  const { stdout } = spawnSync('sh', ['-c', shell, process.execPath, script], {
    env: { ...process.env, ...from('192.0.2.9') },
    encoding: 'utf8',
  });
  t.equal(stdout, '192.0.2.9\n');
  t.end();
});
