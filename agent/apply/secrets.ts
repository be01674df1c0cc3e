import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { AgentError, asAgentError } from '../errors.ts';
import type { WantedProfile } from '../model/plan.ts';
import type { Json, ProfileSettings } from '../model/settings.ts';

/*
 * Secrets of a profile (802.1X, MACsec) are asked for when its copy is written and live for that one call: they are in no
 * observation, plan, journal or message.
 */

/** Shorter values are no secrets worth the name, and replacing them would garble a message. */
const shortestMasked = 4;

/** Writes a profile with the secrets of the one it was made from. A failure's message shows asterisks in their place. */
export async function writeWithSecrets(
  nm: NetworkManager,
  profile: WantedProfile,
  write: (settings: ProfileSettings) => Promise<unknown>,
): Promise<void> {
  // A source that is gone has nothing to give; NetworkManager keeps the secrets of a profile that is only updated.
  const source = profile.secretsFrom && (await nm.profilePathOf(profile.secretsFrom).catch(() => undefined));
  if (!source) {
    await write(profile.settings);
    return;
  }
  const secrets = await nm.profileSecrets(source);
  await write(joined(profile.settings, secrets)).catch((error: unknown) => {
    throw masked(asAgentError(error), secrets);
  });
}

/** Only of settings the profile has: a source can have secrets that do not concern the copy. */
function joined(settings: ProfileSettings, secrets: ProfileSettings): ProfileSettings {
  const entries = Object.entries(settings).map(([name, setting]) => [name, { ...setting, ...secrets[name] }]);
  return Object.fromEntries(entries) as ProfileSettings;
}

function masked(error: AgentError, secrets: ProfileSettings): AgentError {
  const values = Object.values(secrets).flatMap((setting) =>
    Object.values(setting).flatMap(([, value]) => texts(value)),
  );
  const mask = (text: string): string => values.reduce((result, value) => result.replaceAll(value, '***'), text);
  // Not its cause: that is NetworkManager's own text once more.
  return new AgentError(error.kind, mask(error.message), error.hint === undefined ? {} : { hint: mask(error.hint) });
}

function texts(value: Json): readonly string[] {
  if (typeof value === 'string') return value.length < shortestMasked ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((item) => texts(item as Json)) : [];
}
