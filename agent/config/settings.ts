import type { ClusterConfig, Config, Sourced } from '../model/config.ts';
import { normalizeCpuList } from './cpu-list.ts';
import { settingSchemas } from './setting-schema.ts';

/** Configuration from ovn.yaml: everything except the cluster's part. */
export type OvnYaml = Omit<Config, 'cluster'>;

type Spellings = Readonly<Record<string, readonly string[]>>;

/**
 * Settings with another name in the configuration, or with an older spelling in ovn.yaml. The newest spelling is first.
 */
const renamed: Spellings = {
  disableOvsInit: ['disableOVSInit', 'ovsInit.disableOVSInit'],
  uplink: ['uplink', 'ovsInit.gatewayInterface'],
  externalUplink: ['ovsInit.externalGatewayInterface'],
};

const sameNames = [...settingSchemas]
  .filter(([name, { properties }]) => properties === undefined && !Object.values(renamed).flat().includes(name))
  .map(([name]) => name);

/** Spellings in ovn.yaml by path in the configuration, for every setting of the schema. */
export const ovnSpellings: Spellings = {
  ...renamed,
  ...Object.fromEntries(sameNames.map((name) => [name, [name]])),
};

/** Spellings in MicroShift's own files. MicroShift ignores an older spelling if a newer one exists. */
export const clusterSpellings = {
  'cluster.clusterNetwork': ['network.clusterNetwork', 'cluster.clusterCIDR'],
  'cluster.serviceNetwork': ['network.serviceNetwork', 'cluster.serviceCIDR'],
  'cluster.serviceNodePortRange': ['network.serviceNodePortRange', 'cluster.serviceNodePortRange'],
  'cluster.nodeIp': ['node.nodeIP', 'nodeIP'],
  'cluster.nodeIpv6': ['node.nodeIPv6'],
  'cluster.cniPlugin': ['network.cniPlugin'],
  'cluster.advertiseAddress': ['apiServer.advertiseAddress'],
  'cluster.listenAddresses': ['ingress.listenAddress'],
  'cluster.remoteNetworks': ['clusterToCluster.remoteClusters'],
} as const satisfies Record<`cluster.${keyof ClusterConfig}`, readonly string[]>;

/** Value of a setting; null if it leaves the decision to another component. */
export type SettingValue = string | number | boolean | null | readonly string[];

/** Returns every setting by its name in the files. */
export function namedSettings(config: Config): (readonly [name: string, setting: Sourced<SettingValue>])[] {
  return Object.entries({ ...ovnSpellings, ...clusterSpellings }).map(([path, [name = '']]) => {
    const found = path.split('.').reduce<unknown>((group, key) => (group as Record<string, unknown>)[key], config);
    return [name, found as Sourced<SettingValue>];
  });
}

/**
 * Returns the configuration with the values that `find` returns for the spellings of each setting; null selects the
 * default.
 */
export function ovnConfig(find: (spellings: readonly string[]) => Sourced<unknown> | null): OvnYaml {
  const config: Record<string, object> = {};
  for (const [path, spellings] of Object.entries(ovnSpellings)) {
    const byDefault = { value: settingSchemas.get(spellings[0] ?? '')?.default, source: 'default' };
    const { value, source } = find(spellings) ?? byDefault;
    const setting = { value: meaning(path, value), source };
    const [group = '', key] = path.split('.');
    config[group] = key === undefined ? setting : { ...config[group], [key]: setting };
  }
  // The schema has validated every value; test/unit/config/schema.test.ts compares the schema with the type.
  return config as unknown as OvnYaml;
}

/** Returns the meaning of a value; null if it leaves the decision to another component. */
function meaning(path: string, value: unknown): unknown {
  if (value === '') return null;
  if (path.startsWith('ovs.') && (value === 'auto' || value === 'none')) return null;
  return path === 'ovs.cpuAffinity' ? normalizeCpuList(String(value)) : value;
}
