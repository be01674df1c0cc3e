// File by which container runtimes find the network of the overlay.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { removeConflist, writeConflist } from '../../../../../agent/run/overlay/cni/conflist.ts';

const own = '10-microshift-net.conflist';

t.test('files of foreign networks are not changed, and one that takes precedence is reported', (t) => {
  const others = { '05-other.conf': 'theirs', '87-podman.conflist': 'theirs', '00-readme.txt': 'no network' };
  const folder = t.testdir(others);
  const said: string[] = [];
  writeConflist(folder, (line) => said.push(line));
  t.match(said, [
    `wrote ${folder}/${own}: pods can start on this node`,
    `warning: container runtimes take 05-other.conf of ${folder} before ${own}: remove it`,
  ]);
  t.match(JSON.parse(readFileSync(`${folder}/${own}`, 'utf8')), { name: 'ovn-kubernetes' });
  for (const [name, text] of Object.entries(others)) t.equal(readFileSync(`${folder}/${name}`, 'utf8'), text, name);
  writeConflist(folder, (line) => said.push(line));
  t.equal(said.length, 2, 'a second run writes and reports nothing');
  t.ok(removeConflist(folder));
  t.strictSame(readdirSync(folder).toSorted(), Object.keys(others).toSorted());
  t.notOk(removeConflist(folder));
  t.end();
});
