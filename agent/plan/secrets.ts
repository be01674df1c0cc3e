import type { PlanNote } from '../model/plan.ts';
import type { ProfileSettings } from '../model/settings.ts';

/** Settings of a wired profile that have secrets (libnm marks the properties NM_SETTING_PARAM_SECRET). */
const settingsWithSecrets = ['802-1x', 'macsec', 'pppoe'];
/** NMSettingSecretFlags: only a user's agent has it; it is asked for every time. */
const heldElsewhere = 0x1 | 0x2;

/** Whose secrets a copy of this profile gets when it is written; nothing for one without. */
export function secretsFrom(settings: ProfileSettings, uuid: string): { secretsFrom?: string } {
  return settingsWithSecrets.some((name) => settings[name] !== undefined) ? { secretsFrom: uuid } : {};
}

/** Says which secrets cannot go along, because NetworkManager itself does not have them. */
export function secretNotes(id: string, settings: ProfileSettings): readonly PlanNote[] {
  return settingsWithSecrets.flatMap((name) =>
    Object.entries(settings[name] ?? {}).flatMap(([key, value]): readonly PlanNote[] => {
      if (!key.endsWith('-flags') || (Number(value[1]) & heldElsewhere) === 0) return [];
      const message = `${name}.${key.replace(/-flags$/, '')} of ${id} is not stored in the profile, so a copy can ask for it but not bring it along; store it (${name}.${key} 0) for a node that starts alone`;
      return [{ level: 'warning', message }];
    }),
  );
}
