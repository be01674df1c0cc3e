import t, { type Test } from 'tap';
import { activateWithPorts } from '../../../agent/apply/activations.ts';
import { startDeadline } from '../../../agent/deadline.ts';
import type { ActivationWatch } from '../../../agent/drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/client.ts';
import { AgentError } from '../../../agent/errors.ts';
import { failure } from '../failure.ts';

const bond = { id: 'bond0', uuid: 'bond', interface: 'bond0' };
const ports = ['eth0', 'eth1'].map((name) => ({ id: name, uuid: name, interface: name }));

/** NetworkManager that notes what is activated in which order, and a watch that gives these answers to waits for ports. */
function scripted(t: Test, answers: readonly ('up' | 'down')[], missing: readonly string[] = []) {
  const activated: string[] = [];
  const waits = [...answers];
  const nm: Partial<NetworkManager> = {
    profilePathOf: async (uuid) => {
      if (missing.includes(uuid)) throw new AgentError('networkmanager-refused', `no profile ${uuid}`);
      return `/profile/${uuid}`;
    },
    request: async () => ['/device'],
    activate: async (path) => {
      activated.push(path);
      return path;
    },
  };
  const watch: Partial<ActivationWatch> = {
    activated: async (paths) => {
      if (paths.includes('/profile/bond')) return;
      if (waits.shift() !== 'up') throw new AgentError('activation-failed', 'the device was disconnected');
    },
  };
  const deadline = startDeadline(5_000);
  t.teardown(() => deadline.clear());
  const context = { nm: nm as NetworkManager, watch: watch as ActivationWatch, deadline, begun: new Map() };
  return { activated, context };
}

t.test('the controller is started before its ports, all at once', async (t) => {
  const { activated, context } = scripted(t, ['up']);
  await activateWithPorts(context, [bond], ports);
  t.strictSame(activated, ['/profile/bond', '/profile/eth0', '/profile/eth1']);
});

t.test('ports that were put aside are started once more, under a controller that is active', async (t) => {
  const { activated, context } = scripted(t, ['down', 'up']);
  await activateWithPorts(context, [bond], ports);
  t.strictSame(activated.slice(3), ['/profile/eth0', '/profile/eth1']);
});

t.test('ports that fail twice are a failure', async (t) => {
  const { context } = scripted(t, ['down', 'down', 'up']);
  await t.rejects(activateWithPorts(context, [bond], ports), failure('activation-failed'));
});

t.test('one port is enough', async (t) => {
  const { activated, context } = scripted(t, ['up'], ['eth0']);
  await activateWithPorts(context, [bond], ports);
  t.strictSame(activated, ['/profile/bond', '/profile/eth1']);
});

t.test('no port at all says why', async (t) => {
  const { context } = scripted(t, [], ['eth0', 'eth1']);
  const message = /none of the ports eth0, eth1 .*no profile eth0; no profile eth1/;
  await t.rejects(activateWithPorts(context, [bond], ports), failure('activation-failed', { message }));
});

t.test('what an earlier step began is not begun again', async (t) => {
  const { activated, context } = scripted(t, ['up']);
  for (const { uuid } of [bond, ...ports]) context.begun.set(uuid, Promise.resolve(`/profile/${uuid}`));
  await activateWithPorts(context, [bond], ports);
  t.strictSame(activated, []);
});
