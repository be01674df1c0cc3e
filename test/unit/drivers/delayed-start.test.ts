import t from 'tap';
import type { Bus, MethodCall } from '../../../agent/drivers/dbus/bus-connection.ts';
import { startLater } from '../../../agent/drivers/systemd/delayed-start.ts';

t.test('a start that is scheduled already stays', async (t) => {
  const calls: string[] = [];
  const bus = {
    call: async ({ member }: MethodCall) => {
      calls.push(member);
      throw new Error('Unit microshift-net-died.timer was already loaded or has a fragment file.');
    },
  } as unknown as Bus;
  await startLater(bus, 'microshift-net-died', 5, 'the end');
  // For some milliseconds after StopUnit, systemd refuses a transient unit of the same name.
  t.strictSame(calls, ['StartTransientUnit']);
});
