import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { linkAlias, linkOf } from '../../../agent/cni/attachment.ts';
import { cniCommands } from '../../../agent/cni/cni-request.ts';
import { cniVersions } from '../../../agent/cni/cni-version.ts';
import { overlayPlaces } from '../../../agent/run/overlay/record/places.ts';

const path = 'rpm/files/microshift-net-cni.sh';
const text = readFileSync(path, 'utf8');

t.test('the shim has the versions, commands and names of the daemon', (t) => {
  const version = JSON.parse(execFileSync('sh', [path], { env: { CNI_COMMAND: 'VERSION' }, encoding: 'utf8' }));
  t.strictSame(version, { cniVersion: cniVersions.at(-1), supportedVersions: cniVersions });
  t.match(text, `socket=${overlayPlaces.cniSocket}\n`);
  t.match(text, `= '${linkAlias}' ]`);
  t.match(text, `\${CNI_CONTAINERID#${'?'.repeat(linkOf('x'.repeat(64)).length)}}`);
  const asked = [...text.matchAll(/\bask ([A-Z]+)\b/g)].map(([, word]) => word);
  t.strictSame(asked.toSorted(), [...cniCommands].toSorted());
  t.end();
});

t.test('answers of the shim while the daemon is not running', (t) => {
  const answer = (command: string, config: string, more: object = {}) => {
    const env = { CNI_COMMAND: command, CNI_CONTAINERID: 'x', CNI_NETNS: '/run/netns/x', CNI_IFNAME: 'eth0', ...more };
    const { status, stdout } = spawnSync('sh', [path], { env, input: config, encoding: 'utf8' });
    return { status, error: JSON.parse(stdout) };
  };
  const config = '{"name":"x", "cniVersion" : "1.0.0","a":"\\"\\n"}';
  t.match(answer('ADD', config), {
    status: 1,
    error: { cniVersion: '1.0.0', code: 11, msg: /does not answer at \/run/ },
  });
  t.match(answer('CHECK', config), { error: { code: 11 } });
  t.match(answer('GC', config), { error: { code: 11 } });
  t.match(answer('STATUS', config), { error: { code: 50 } });
  t.match(answer('MOVE', config), { error: { code: 4 } });
  t.match(answer('DEL', '', { CNI_CONTAINERID: '$(id)' }), { error: { cniVersion: '0.1.0', code: 4 } });
  t.end();
});
