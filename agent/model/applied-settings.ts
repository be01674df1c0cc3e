import type { ProfileSettings } from './profile-settings.ts';

/**
 * Settings that NetworkManager has applied to a device, at the activation of its profile or by a later reapply
 * (NetworkManager D-Bus API, GetAppliedConnection).
 */
export interface AppliedSettings {
  readonly interface: string;
  readonly uuid: string;
  readonly settings: ProfileSettings;
}
