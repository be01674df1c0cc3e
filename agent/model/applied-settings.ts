import type { ProfileSettings } from './profile-settings.ts';

/** Settings with which NetworkManager runs a device. They are those of its profile at the time of its activation. */
export interface AppliedSettings {
  readonly interface: string;
  readonly uuid: string;
  readonly settings: ProfileSettings;
}
