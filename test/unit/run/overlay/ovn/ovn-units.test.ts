// Units of OVN after a failed or interrupted run: their state is the same as before.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Systemd } from '../../../../../agent/drivers/systemd/systemd-units.ts';
import { AgentError } from '../../../../../agent/errors.ts';
import { restoreUnits, startAgain, startUnits, withUnits } from '../../../../../agent/run/overlay/ovn/ovn-units.ts';
import { failure } from '../../../failure.ts';

type State = 'enabled active' | 'enabled inactive' | 'disabled active' | 'disabled inactive';

/** Returns a simulated systemd that refuses the call with the name `fault`. */
function machine(units: Record<string, State>, fault = '') {
  const is = (unit: string, word: string): boolean => units[unit]?.split(' ').includes(word) === true;
  const put = (call: string, unit: string, word: string): Promise<void> => {
    if (call === fault) return Promise.reject(new AgentError('systemd-refused', `systemd could not ${call} ${unit}`));
    const [file = '', activity = ''] = (units[unit] ?? '').split(' ');
    units[unit] = (word.endsWith('abled') ? `${word} ${activity}` : `${file} ${word}`) as State;
    return Promise.resolve();
  };
  const systemd: Systemd = {
    daemonReload: () => Promise.resolve(),
    isInstalled: (unit) => Promise.resolve(unit in units),
    isEnabled: (unit) => Promise.resolve(is(unit, 'enabled')),
    activeState: (unit) => Promise.resolve(is(unit, 'active') ? 'active' : 'inactive'),
    enableUnit: (unit) => put('enable', unit, 'enabled'),
    disableUnit: (unit) => put('disable', unit, 'disabled'),
    startUnit: (unit) => put('start', unit, 'active'),
    stopUnit: (unit) => put('stop', unit, 'inactive'),
  };
  return <T>(work: (systemd: Systemd) => Promise<T>): Promise<T> => work(systemd);
}

const names = ['ovn-central.service', 'ovn-northd.service'];
const states = ['enabled active', 'enabled inactive', 'disabled active', 'disabled inactive'] as const;

t.test('a run that fails leaves units as they were', async (t) => {
  const places = { units: join(t.testdir({}), 'units.json') };
  for (const state of states) {
    const units: Record<string, State> = { 'ovn-central.service': state };
    const ask = machine(units);
    const work = async (): Promise<void> => {
      t.equal(await startUnits(names, places, ask), true);
      t.strictSame(units, { 'ovn-central.service': 'enabled active' }, `${state}: the unit is started and enabled`);
      throw new AgentError('proof-failed', 'it does not work');
    };
    await t.rejects(withUnits(places, work, ask), failure('proof-failed'));
    t.strictSame(units, { 'ovn-central.service': state });
    t.notOk(existsSync(places.units), 'no record of units is left');
  }
});

t.test('units that a run has started are recorded until they are restored', async (t) => {
  const places = { units: join(t.testdir({}), 'units.json') };
  const units: Record<string, State> = { 'ovn-central.service': 'disabled inactive', other: 'disabled inactive' };
  const ask = machine(units);
  await startUnits(names, places, ask);
  await startUnits(names, places, ask);
  const failing = async (): Promise<void> => {
    await startUnits(['other'], places, ask);
    throw new AgentError('proof-failed', 'it does not work');
  };
  await t.rejects(withUnits(places, failing, ask), failure('proof-failed'));
  t.strictSame(
    units,
    { 'ovn-central.service': 'enabled active', other: 'disabled inactive' },
    'each run restores the units that it has changed',
  );
  t.strictSame(await restoreUnits(places, ask), ['ovn-central.service']);
  t.strictSame(units, { 'ovn-central.service': 'disabled inactive', other: 'disabled inactive' });
  t.strictSame(await restoreUnits(places, ask), [], 'units are restored only once');
});

t.test('a refused start is also rolled back, and an incomplete rollback is reported', async (t) => {
  const places = { units: join(t.testdir({}), 'units.json') };
  for (const [fault, after, error] of [
    ['start', 'disabled inactive', 'systemd-refused'],
    ['disable', 'enabled active', 'not-restored'],
  ] as const) {
    const units: Record<string, State> = { 'ovn-central.service': 'disabled inactive' };
    const ask = machine(units, fault);
    const work = async (): Promise<void> => {
      await startUnits(names, places, ask);
      throw new AgentError('proof-failed', 'it does not work');
    };
    await t.rejects(withUnits(places, work, ask), failure(error));
    t.strictSame(units, { 'ovn-central.service': after });
  }
  t.match(
    JSON.parse(readFileSync(places.units, 'utf8')),
    [{ unit: 'ovn-central.service' }],
    'the record of units is kept for the next run',
  );
});

t.test('the daemons keep running if the rows could not be removed', async (t) => {
  const places = { units: join(t.testdir({}), 'units.json') };
  const units: Record<string, State> = { 'ovn-central.service': 'disabled inactive' };
  const ask = machine(units);
  const work = async (): Promise<void> => {
    await startUnits(names, places, ask);
    throw new AgentError('not-restored', 'rows are left');
  };
  await t.rejects(withUnits(places, work, ask), failure('not-restored'));
  t.strictSame(units, { 'ovn-central.service': 'enabled active' });
});

t.test('a daemon that was stopped temporarily is started again, and no other unit changes', async (t) => {
  const units: Record<string, State> = { 'ovn-host.service': 'disabled inactive' };
  await startAgain(['ovn-host.service', 'ovn-controller.service'], machine(units));
  t.strictSame(units, { 'ovn-host.service': 'disabled active' });
});

t.test('a file of another program is ignored', async (t) => {
  const places = { units: join(t.testdir({}), 'units.json') };
  for (const text of ['', 'nonsense', '{}', '[1, {"unit": 7}]']) {
    writeFileSync(places.units, text);
    t.strictSame(await restoreUnits(places, machine({})), []);
  }
});
