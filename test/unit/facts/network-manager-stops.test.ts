// Observes a NetworkManager that refuses to show a profile, or leaves the bus while its profiles are read.
import t from 'tap';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { vanished } from '../../../agent/drivers/networkmanager/nm-errors.ts';
import { profileInterface } from '../../../agent/drivers/networkmanager/nm-names.ts';
import { AgentError } from '../../../agent/errors.ts';
import { observeNetworkManager } from '../../../agent/facts/network-manager.ts';
import { failure } from '../failure.ts';

function withProfileAnswer(error: Error): NetworkManager {
  return {
    managedObjects: async () => ({ '/org/freedesktop/NetworkManager/Settings/1': { [profileInterface]: {} } }),
    profileSettings: async () => {
      throw error;
    },
  } as unknown as NetworkManager;
}

t.test('a profile that was deleted since the listing is left out', async (t) => {
  const refused = new AgentError('networkmanager-refused', 'NetworkManager refused to read a profile');
  t.strictSame((await observeNetworkManager(withProfileAnswer(refused))).profiles, []);
});

t.test('a profile whose settings have another form is left out', async (t) => {
  t.strictSame(
    (await observeNetworkManager(withProfileAnswer(new TypeError('expected a D-Bus variant')))).profiles,
    [],
  );
});

t.test('a NetworkManager that stops is an error and not a node without profiles', async (t) => {
  await t.rejects(observeNetworkManager(withProfileAnswer(vanished())), failure('networkmanager-not-running'));
});
