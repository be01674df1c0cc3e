// The step that takes over a bridge ends when NetworkManager can activate it, in whatever order its devices come and become available.
import t from 'tap';
import { startDeadline } from '../../../agent/deadline.ts';
import type { Signal } from '../../../agent/drivers/dbus/connection.ts';
import { watchActivations } from '../../../agent/drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/client.ts';
import { deviceInterface, deviceState, deviceType } from '../../../agent/drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../../../agent/drivers/openvswitch/client.ts';
import { stepContext } from '../../../agent/run/step-context.ts';
import { claimBridge } from '../../../agent/run/uplink-steps.ts';

const unavailable = 20;
const step = {
  bridge: 'br-ex',
  profiles: { bridge: 'b', port: 'p', interface: 'i' },
  row: { externalIds: {}, otherConfig: {} },
} as unknown as Parameters<typeof claimBridge>[1];

/** NetworkManager as far as the step asks it, on a machine on which it has its turn only when the test lets it have one. */
function busyNode() {
  const states = new Map<string, { type: number; state: number }>();
  const listeners = new Set<(signal: Signal) => void>();
  const log: string[] = [];
  const signal = (): void => {
    for (const listener of [...listeners])
      listener({ interface: '', path: '/', member: '', body: [] } as unknown as Signal);
  };
  const nm = {
    managedObjects: async () =>
      Object.fromEntries(
        [...states].map(([path, { type }]) => [path, { [deviceInterface]: { Interface: 'br-ex', DeviceType: type } }]),
      ),
    property: async (path: string) => states.get(path)?.state,
    manage: async (path: string) => {
      log.push(`manage ${path}`);
      states.set(path, { type: states.get(path)?.type ?? 0, state: unavailable });
    },
    onSignal: (listener: (signal: Signal) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as NetworkManager;
  const ovs = { claimBridge: async () => undefined } as unknown as OpenVSwitch;
  const deadline = startDeadline(60_000);
  const ended = claimBridge(stepContext({ nm, ovs, watch: watchActivations(nm), deadline }), step).then(() => {
    log.push('ended');
  });
  const turn = async (work: () => void): Promise<void> => {
    work();
    signal();
    for (let settled = 0; settled < 20; settled++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const appears = (path: string, type: number) => turn(() => void states.set(path, { type, state: 10 }));
  const becomes = (path: string, state: number) =>
    turn(() => void states.set(path, { type: states.get(path)?.type ?? 0, state }));
  return { log, ended, appears, becomes, deadline };
}

t.test('devices that come late and become available late are waited for', async (t) => {
  const { log, ended, appears, becomes, deadline } = busyNode();
  t.teardown(() => deadline.clear());
  await appears('/interface', deviceType.ovsInterface);
  await appears('/port', deviceType.ovsPort);
  t.strictSame(log, [], 'the bridge is not there yet');
  await appears('/bridge', deviceType.ovsBridge);
  t.strictSame(log, ['manage /interface', 'manage /port', 'manage /bridge']);
  await becomes('/port', deviceState.disconnected);
  t.notOk(log.includes('ended'), 'the bridge cannot be activated yet');
  await becomes('/bridge', deviceState.disconnected);
  await ended;
  t.equal(log.at(-1), 'ended');
});

t.test('a run that is stopped meanwhile ends the wait', async (t) => {
  const { ended, deadline } = busyNode();
  const reason = new Error('stopped');
  deadline.interrupt(reason as never);
  await t.rejects(ended, reason);
  deadline.clear();
});
