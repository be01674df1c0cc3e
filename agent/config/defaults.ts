import type { Config, Sourced } from '../model/config.ts';

/** A value that nobody set. */
function byDefault<T>(value: T): Sourced<T> {
  return { value, source: 'default' };
}

/** The configuration of a node without any configuration file. */
export const defaultConfig: Config = {
  disableOvsInit: byDefault(false),
  uplink: byDefault('auto'),
  externalUplink: byDefault(null),
  mtu: byDefault(1400),
  persist: byDefault(false),
  ovs: {
    cpuAffinity: byDefault('0'),
    handlerThreads: byDefault(1),
    revalidatorThreads: byDefault(1),
    lockMemory: byDefault(false),
    datapathType: byDefault('system'),
  },
  manifests: {
    flavor: byDefault('auto'),
    image: byDefault(null),
    imagePullPolicy: byDefault('IfNotPresent'),
  },
  cluster: {
    clusterNetwork: byDefault(['10.42.0.0/16']),
    serviceNetwork: byDefault(['10.43.0.0/16']),
    serviceNodePortRange: byDefault('30000-32767'),
    nodeIp: byDefault(null),
  },
};
