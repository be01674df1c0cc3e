// Waits for activations: a script sends the signals of NetworkManager in every possible order.
import t, { type Test } from 'tap';
import { startDeadline } from '../../../agent/deadline.ts';
import type { Signal } from '../../../agent/drivers/dbus/bus-connection.ts';
import { type ActivationWatch, watchActivations } from '../../../agent/drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { activeInterface, deviceInterface } from '../../../agent/drivers/networkmanager/nm-names.ts';
import { failure } from '../failure.ts';

const path = '/active/1';

/**
 * Returns a wait on a simulated NetworkManager, and functions that send its signals; `state` is NetworkManager's answer
 * to a query of the state.
 */
function scripted(t: Test, state: () => number) {
  const listeners = new Map<(signal: Signal) => void, string | undefined>();
  const nm: Pick<NetworkManager, 'onSignal' | 'property'> = {
    onSignal: (listener, member) => {
      listeners.set(listener, member);
      return () => listeners.delete(listener);
    },
    property: async () => state(),
  };
  const watch: ActivationWatch = watchActivations(nm as NetworkManager);
  t.teardown(() => watch.stop());
  const send = (member: string, interfaceName: string, at: string, ...body: number[]): void => {
    for (const [listener, wanted] of [...listeners])
      if (wanted === undefined || wanted === member)
        listener({ sender: ':1.1', path: at, interface: interfaceName, member, body });
  };
  const signal = send.bind(null, 'StateChanged');
  const deadline = startDeadline(5_000);
  t.teardown(() => deadline.clear());
  return {
    watch,
    signal,
    change: () => send('PropertiesChanged', 'org.freedesktop.DBus.Properties', '/x'),
    listening: () => listeners.size,
    wait: (limitMs = 1_000) => watch.activated(path, 'ovs-if-br-ex', deadline, limitMs),
    deadline,
  };
}

t.test('a connection that is active already', async (t) => {
  await scripted(t, () => 2).wait();
});

t.test('a signal that arrives before the wait begins counts', async (t) => {
  const { signal, wait } = scripted(t, () => 1);
  signal(activeInterface, path, 2, 0);
  await wait();
});

t.test('a signal during the wait', async (t) => {
  const { signal, wait } = scripted(t, () => 1);
  const waiting = wait();
  setTimeout(() => {
    signal(activeInterface, '/active/other', 2, 0);
    signal(activeInterface, path, 1, 0);
    signal(activeInterface, path, 2, 0);
  }, 5);
  await waiting;
});

t.test('a failure has the reason of the device, which is more exact than that of the connection', async (t) => {
  const { signal, wait } = scripted(t, () => 1);
  const waiting = wait();
  setTimeout(() => {
    signal(deviceInterface, '/device/1', 120, 50, 17);
    signal(activeInterface, path, 4, 12);
  }, 5);
  await t.rejects(
    waiting,
    failure('activation-failed', { message: /could not activate ovs-if-br-ex: the DHCP client failed$/ }),
  );
});

t.test('a failure for which the device reports no reason', async (t) => {
  const { signal, wait } = scripted(t, () => 1);
  signal(activeInterface, path, 4, 9);
  await t.rejects(wait(), failure('activation-failed', { message: /secrets are missing$/ }));
});

t.test('an active connection that no longer exists has failed', async (t) => {
  const { wait } = scripted(t, () => {
    throw new Error('no such object');
  });
  await t.rejects(wait(), failure('activation-failed'));
});

t.test('a wait without signals ends at its limit', async (t) => {
  await t.rejects(scripted(t, () => 1).wait(20), failure('activation-timeout'));
});

t.test('a condition is checked again after every signal, once at a time', async (t) => {
  const { watch, change, listening, deadline } = scripted(t, () => 1);
  let asked = 0;
  let atOnce = 0;
  const condition = async (): Promise<boolean> => {
    asked += 1;
    atOnce += 1;
    t.equal(atOnce, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce -= 1;
    return asked >= 3;
  };
  const waiting = watch.until('a lease', condition, deadline, 1_000);
  const timer = setInterval(change, 2);
  await waiting;
  clearInterval(timer);
  t.equal(asked, 3);
  await t.rejects(
    watch.until('a lease', async () => false, deadline, 20),
    failure('activation-timeout', { message: /^a lease did not happen/ }),
  );
  await t.rejects(
    watch.until('a lease', () => Promise.reject(new Error('broken')), deadline, 1_000),
    /broken/,
  );
  t.equal(listening(), 1, 'only the listener of the watch is left');
});
