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
  const spec = readFileSync('rpm/microshift-net.spec', 'utf8');
  const named = (macro: string): string[] =>
    new RegExp(`^%global ${macro} (.*)$`, 'm').exec(spec)?.[1]?.split(' ') ?? [];
  t.strictSame([...named('boot_unit'), ...named('units')].toSorted(), installed.toSorted());
  for (const [macro, file] of [
    ['boot_unit', 'rpm/files/80-microshift-networking.preset'],
    ['units', 'rpm/files/80-microshift-net.preset'],
  ] as const) {
    const preset = readFileSync(file, 'utf8');
    for (const unit of named(macro)) t.match(preset, `enable ${unit}\n`, unit);
  }
  t.end();
});
