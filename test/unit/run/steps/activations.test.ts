// An activation that NetworkManager refuses because it has no device yet.
import t from 'tap';
import { startDeadline } from '../../../../agent/deadline.ts';
import type { Signal } from '../../../../agent/drivers/dbus/bus-connection.ts';
import { watchActivations } from '../../../../agent/drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../../../agent/drivers/networkmanager/nm-client.ts';
import { activeState } from '../../../../agent/drivers/networkmanager/nm-names.ts';
import type { OpenVSwitch } from '../../../../agent/drivers/openvswitch/ovs-client.ts';
import { AgentError } from '../../../../agent/errors.ts';
import { activate } from '../../../../agent/run/steps/activations.ts';
import { stepContext } from '../../../../agent/run/steps/step-context.ts';

const port = { uuid: 'port', id: 'ovs-port-br-ex', interface: null } as const;
const refusal = (why: string): AgentError =>
  new AgentError('networkmanager-refused', `NetworkManager refused to activate a profile: ${why}`, { hint: '' });
const noDevice = "Controller connection 'br-ex' can't be activated: No device available";

/**
 * Starts an activation on a simulated NetworkManager, which refuses it until the test calls `ready`; `turn` sends a
 * signal.
 */
function refusingNode(t: import('tap').Test, why: string) {
  let isReady = false;
  let tries = 0;
  const listeners = new Set<(signal: Signal) => void>();
  const nm = {
    profilePathOf: async () => '/profile',
    activate: async () => {
      tries += 1;
      if (!isReady) throw refusal(why);
      return '/active';
    },
    property: async () => activeState.activated,
    onSignal: (listener: (signal: Signal) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as NetworkManager;
  const deadline = startDeadline(60_000);
  t.teardown(() => deadline.clear());
  const ended = activate(stepContext({ nm, ovs: {} as OpenVSwitch, watch: watchActivations(nm), deadline }), port);
  const turn = async (): Promise<void> => {
    const signal = { interface: '', path: '/', member: '', body: [] } as unknown as Signal;
    for (const listener of [...listeners]) listener(signal);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const ready = (): void => {
    isReady = true;
  };
  return { ended, turn, ready, tries: () => tries };
}

t.test('an activation is tried again after each signal until the device exists', async (t) => {
  const { ended, turn, ready, tries } = refusingNode(t, noDevice);
  await turn();
  await turn();
  const before = tries();
  t.ok(before >= 2, 'the activation was refused more than once');
  ready();
  await turn();
  await ended;
  t.equal(tries(), before + 1, 'after the device appeared, the activation was requested once');
});

t.test('another refusal ends the step at once', async (t) => {
  const { ended, tries } = refusingNode(t, 'connection is invalid');
  await t.rejects(ended, { kind: 'networkmanager-refused', message: /connection is invalid/ });
  t.equal(tries(), 1);
});
