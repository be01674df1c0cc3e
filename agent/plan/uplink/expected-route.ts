import { dynamicFamilies } from '../../model/dynamic-families.ts';
import { isExternal, type Link, type NmProfile, type Observation } from '../../model/observation.ts';
import { jsonOf, textOf } from '../../model/profile-settings.ts';
import { activeProfile } from './source-profile.ts';

/**
 * Returns false if nothing on the node can bring a default route any more. This is the case if NetworkManager has a
 * profile active on each of the links `candidates`, and is not activating a profile; no activated profile has a gateway
 * or uses DHCP or router advertisements; no other profile can be activated automatically; and the kernel processes
 * router advertisements on no link. A link that another program configures counts as able to bring a default route.
 */
export function isDefaultRouteExpected(candidates: readonly Link[], observation: Observation): boolean {
  const { kernelIpv6 = [], networkManager } = observation;
  const { activeConnections, profiles } = networkManager;
  const isBeingActivated = activeConnections.some(({ state }) => state === 1);
  const isActivated = ({ uuid }: NmProfile): boolean =>
    activeConnections.some((active) => active.uuid === uuid && active.state === 2);
  const isConfigured = ({ name }: Link): boolean => {
    const profile = activeProfile(name, observation);
    const active = activeConnections.find(({ uuid }) => uuid === profile?.uuid);
    return active !== undefined && !isExternal(active);
  };
  const hasGateway = ({ settings }: NmProfile): boolean =>
    ['ipv4', 'ipv6'].some((family) => textOf(settings, family, 'gateway') !== undefined);
  const canBring = (profile: NmProfile): boolean =>
    isActivated(profile)
      ? hasGateway(profile) || dynamicFamilies(profile.settings).length > 0
      : jsonOf(profile.settings, 'connection', 'autoconnect') !== false;
  return isBeingActivated || kernelIpv6.length > 0 || !candidates.every(isConfigured) || profiles.some(canBring);
}
