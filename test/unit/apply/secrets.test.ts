import t from 'tap';
import { writeWithSecrets } from '../../../agent/apply/secrets.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/client.ts';
import { type AgentError, AgentError as Failure } from '../../../agent/errors.ts';
import type { WantedProfile } from '../../../agent/model/plan.ts';
import type { ProfileSettings } from '../../../agent/model/settings.ts';

const password = 'squeamish-ossifrage';

const copy: WantedProfile = {
  id: 'ovs-if-phys0',
  uuid: 'copy',
  settings: { connection: { id: ['s', 'ovs-if-phys0'] }, '802-1x': { identity: ['s', 'node'] } },
  secretsFrom: 'source',
};

/** NetworkManager with one profile that has secrets, of 802.1X and of a setting the copy has not. */
function nmWith(secrets: ProfileSettings): NetworkManager {
  const nm: Partial<NetworkManager> = {
    profilePathOf: async (uuid) => {
      if (uuid !== 'source') throw new Failure('networkmanager-refused', 'no such profile');
      return '/source';
    },
    profileSecrets: async () => secrets,
  };
  return nm as NetworkManager;
}

const nm = nmWith({ '802-1x': { password: ['s', password] }, macsec: { 'mka-cak': ['s', 'of-another-setting'] } });

t.test('a copy is written with the secrets of its own settings', async (t) => {
  const written: ProfileSettings[] = [];
  await writeWithSecrets(nm, copy, async (settings) => written.push(settings));
  t.strictSame(written, [
    {
      connection: { id: ['s', 'ovs-if-phys0'] },
      '802-1x': { identity: ['s', 'node'], password: ['s', password] },
    },
  ]);
  t.notOk(JSON.stringify(copy).includes(password), 'and the plan stays without them');
});

t.test('a refusal that repeats a secret does not show it', async (t) => {
  const refused = new Failure('networkmanager-refused', `NetworkManager refused: "${password}" is too long`, {
    hint: `not "${password}"`,
    cause: new Error(password),
  });
  const error: AgentError = await writeWithSecrets(nm, copy, () => Promise.reject(refused)).then(
    () => t.fail('it was refused'),
    (failure) => failure,
  );
  t.equal(error.message, 'NetworkManager refused: "***" is too long');
  t.notOk(JSON.stringify([error.hint, error.facts, String(error.cause), error.stack]).includes(password));
});

t.test('a source that is gone has nothing to give', async (t) => {
  const written: ProfileSettings[] = [];
  await writeWithSecrets(nm, { ...copy, secretsFrom: 'gone' }, async (settings) => written.push(settings));
  t.strictSame(written, [copy.settings]);
});
