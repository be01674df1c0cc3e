// Units are named in several places; what is in systemd/ decides.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { watchUnits } from '../../agent/model/units.ts';

const directory = 'systemd';
/** They are for an admin who wants the manifests applied by the agent, and never enabled by us. */
const optional = /^microshift-net-manifests\./;
const installed = readdirSync(directory)
  .filter((name) => /\.(service|path)$/.test(name) && !optional.test(name))
  .filter((name) => readFileSync(`${directory}/${name}`, 'utf8').includes('[Install]'));

t.test('every path unit of br-ex is watched, started and examined', (t) => {
  t.strictSame([...watchUnits].toSorted(), installed.filter((name) => name.endsWith('.path')).toSorted());
  t.end();
});

t.test('the package enables every unit that can be', (t) => {
  const preset = readFileSync('rpm/files/80-microshift-networking.preset', 'utf8');
  const spec = readFileSync('rpm/microshift-networking.spec', 'utf8');
  const units = /^%global units (.*)$/m.exec(spec)?.[1]?.split(' ') ?? [];
  t.strictSame(units.toSorted(), installed.toSorted());
  for (const unit of installed) t.match(preset, `enable ${unit}\n`, unit);
  t.end();
});
