import { type ProfileSettings, textOf } from './profile-settings.ts';

/** Returns the families that a profile configures through DHCP or router advertisements. */
export function dynamicFamilies(settings: ProfileSettings): readonly (4 | 6)[] {
  return ([4, 6] as const).filter((family) => isDynamic(family, settings));
}

/** Returns true if a profile configures the family through DHCP or router advertisements. */
export function isDynamic(family: 4 | 6, settings: ProfileSettings): boolean {
  return ['auto', 'dhcp'].includes(textOf(settings, `ipv${family}`, 'method') ?? '');
}
