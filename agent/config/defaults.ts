import type { Config, Sourced } from '../model/config.ts';
import { ovnConfig } from './settings.ts';

/** A value that nobody set. */
function byDefault<T>(value: T): Sourced<T> {
  return { value, source: 'default' };
}

/** The configuration of a node without any configuration file: ovn.yaml's part of it is in config/ovn.schema.json. */
export const defaultConfig: Config = {
  ...ovnConfig(() => null),
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
