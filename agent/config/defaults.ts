import type { Config, Sourced } from '../model/config.ts';
import { ovnConfig } from './settings.ts';

/** Returns a default value with its source. */
function byDefault<T>(value: T): Sourced<T> {
  return { value, source: 'default' };
}

/** Configuration of a node without configuration files. config/ovn.schema.json has the defaults of ovn.yaml. */
export const defaultConfig: Config = {
  ...ovnConfig({}, () => null),
  cluster: {
    clusterNetwork: byDefault(['10.42.0.0/16']),
    serviceNetwork: byDefault(['10.43.0.0/16']),
    serviceNodePortRange: byDefault('30000-32767'),
    nodeIp: byDefault(null),
    nodeIpv6: byDefault(null),
    cniPlugin: byDefault('ovnk'),
    advertiseAddress: byDefault(null),
    listenAddresses: byDefault([]),
    remoteNetworks: byDefault([]),
  },
};
