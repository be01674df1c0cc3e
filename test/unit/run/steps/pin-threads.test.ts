// CPU affinity of threads from within a unit of the agent: the request to the second unit, and the wait for its end.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Bus, MethodCall, Signal } from '../../../../agent/drivers/dbus/bus-connection.ts';
import { askToPin } from '../../../../agent/run/steps/pin-threads.ts';
import { failure } from '../../failure.ts';

const job = '/org/freedesktop/systemd1/job/7';
const step = { do: 'pinThreads', daemon: 'ovs-vswitchd', pid: 100, threads: null, cpus: '0-1', why: '' } as const;

/** Returns a simulated systemd, which ends every job with this result at once. */
function systemd(result: string, calls: MethodCall[]): Pick<Bus, 'call' | 'subscribe' | 'onLost'> {
  let reported: (signal: Signal) => void = () => undefined;
  return {
    call: (call) => {
      calls.push(call);
      const removed = { path: '/org/freedesktop/systemd1', interface: 'org.freedesktop.systemd1.Manager' };
      if (call.member === 'StartUnit')
        reported({ ...removed, member: 'JobRemoved', body: [7, job, 'unit', result] } as unknown as Signal);
      return Promise.resolve(call.member === 'StartUnit' ? [job] : [':1.1']);
    },
    subscribe: (_rule, _sender, handler) => {
      reported = handler;
      return () => undefined;
    },
    onLost: () => () => undefined,
  };
}

t.test('the arguments of taskset are written before the unit is started', async (t) => {
  const path = join(t.testdir({}), 'affinity');
  const calls: MethodCall[] = [];
  const bus = systemd('done', calls) as Bus;
  await askToPin(step, (ask) => ask(bus), path);
  t.equal(readFileSync(path, 'utf8'), '-a -c -p 0-1 100\n');
  t.match(
    calls.find(({ member }) => member === 'StartUnit'),
    { body: ['microshift-net-affinity.service', 'replace'] },
  );
  await askToPin({ ...step, threads: [100, 102] }, (ask) => ask(bus), path);
  t.equal(readFileSync(path, 'utf8'), '-c -p 0-1 100\n-c -p 0-1 102\n');
});

t.test('a unit that fails is a failure', async (t) => {
  const path = join(t.testdir({}), 'affinity');
  const bus = systemd('failed', []) as Bus;
  await t.rejects(
    askToPin(step, (ask) => ask(bus), path),
    failure('systemd-refused'),
  );
});
