import type { ClusterConfig, Config, Sourced } from '../model/config.ts';
import { normalizeCpuList } from './cpu-list.ts';
import { type OvnSettings, ovnDefaults, settingNames } from './ovn-settings.generated.ts';

/** Configuration from ovn.yaml: all settings except those of the cluster, which are in MicroShift's own files. */
export type OvnYaml = Omit<Config, 'cluster'>;

/** Name of a setting in ovn.yaml: `mtu`, `ovs.cpuAffinity`, … */
type SettingName = keyof OvnSettings;

/** Path of a setting in the agent's configuration, which often equals the setting's name in ovn.yaml. */
type ConfigPath = {
  [K in keyof OvnYaml]: OvnYaml[K] extends Sourced<unknown> ? K : `${K}.${keyof OvnYaml[K] & string}`;
}[keyof OvnYaml];

/**
 * Settings whose path in the configuration differs from their name in ovn.yaml, and settings that have an older
 * spelling in ovn.yaml. The newest spelling is first.
 */
const renamed = {
  disableOvsInit: ['disableOVSInit', 'ovsInit.disableOVSInit'],
  uplink: ['uplink', 'ovsInit.gatewayInterface'],
  externalUplink: ['ovsInit.externalGatewayInterface'],
} as const satisfies { readonly [P in ConfigPath]?: readonly SettingName[] };

type RenamedName = (typeof renamed)[keyof typeof renamed][number];

function isRenamed(name: SettingName): name is RenamedName {
  return Object.values(renamed).some((spellings) => spellings.some((spelling) => spelling === name));
}

/**
 * Settings whose only spelling in ovn.yaml is also their path in the configuration. By this type, a setting in the
 * schema that is missing from the configuration is a compile error.
 */
const sameNames: readonly ConfigPath[] = settingNames.filter((name) => !isRenamed(name));

/** Spellings in ovn.yaml by path in the configuration, for every setting of the schema. */
export const ovnSpellings: Readonly<Record<string, readonly string[]>> = {
  ...renamed,
  ...Object.fromEntries(sameNames.map((name) => [name, [name]])),
};

/**
 * Spellings of the cluster settings in MicroShift's own files, newest first. MicroShift ignores an older spelling if a
 * newer one exists.
 */
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

/** Value of a setting; null if the setting is not set and has no default value. */
export type SettingValue = string | number | boolean | null | readonly string[];

/**
 * Words that stand for null in ovn.yaml, by the name of the setting. Other settings that may be null have no such word.
 */
const wordForNull: Readonly<Partial<Record<string, string>>> = {
  'ovs.cpuAffinity': 'none',
  'ovs.handlerThreads': 'auto',
  'ovs.revalidatorThreads': 'auto',
  'overlay.bfdIntervalMs': 'auto',
} satisfies Partial<Record<SettingName, string>>;

/**
 * Returns every setting with its newest name in ovn.yaml or in MicroShift's config.yaml, and its value. A null value is
 * replaced by the word that stands for it in ovn.yaml, if there is one.
 */
export function namedSettings(config: Config): (readonly [name: string, setting: Sourced<SettingValue>])[] {
  return Object.entries({ ...ovnSpellings, ...clusterSpellings }).map(([path, [name = '']]) => {
    const found = path.split('.').reduce<unknown>((group, key) => (group as Record<string, unknown>)[key], config);
    const { value, source } = found as Sourced<SettingValue>;
    return [name, { value: value ?? wordForNull[name] ?? null, source }];
  });
}

/**
 * Returns the part of the configuration that ovn.yaml sets, with the source of each setting. A setting whose source is
 * null has its default.
 */
export function ovnConfig(
  settings: { readonly [N in SettingName]?: OvnSettings[N] },
  sourceOf: (name: SettingName) => string | null,
): OvnYaml {
  const read = <N extends SettingName>(newest: N, ...older: readonly N[]): Sourced<OvnSettings[N]> => {
    for (const name of [newest, ...older]) {
      const value: OvnSettings[N] | undefined = settings[name];
      const source = sourceOf(name);
      if (value !== undefined && source !== null) return { value, source };
    }
    return { value: ovnDefaults[newest], source: 'default' };
  };
  return {
    disableOvsInit: read(...renamed.disableOvsInit),
    uplink: read(...renamed.uplink),
    externalUplink: unlessEmpty(read(...renamed.externalUplink)),
    mtu: read('mtu'),
    ovs: {
      cpuAffinity: cpuList(read('ovs.cpuAffinity')),
      handlerThreads: unlessAuto(read('ovs.handlerThreads')),
      revalidatorThreads: unlessAuto(read('ovs.revalidatorThreads')),
      lockMemory: read('ovs.lockMemory'),
      datapathType: read('ovs.datapathType'),
    },
    manifests: {
      flavor: read('manifests.flavor'),
      image: unlessEmpty(read('manifests.image')),
      imagePullPolicy: read('manifests.imagePullPolicy'),
    },
    overlay: {
      nodeName: unlessEmpty(read('overlay.nodeName')),
      clusterSubnet: unlessEmpty(read('overlay.clusterSubnet')),
      serviceSubnet: unlessEmpty(read('overlay.serviceSubnet')),
      joinSubnet: read('overlay.joinSubnet'),
      encapType: read('overlay.encapType'),
      encapAddress: read('overlay.encapAddress'),
      kubeconfig: unlessEmpty(read('overlay.kubeconfig')),
      servicePorts: unlessEmpty(read('overlay.servicePorts')),
      externalIPRanges: unlessEmpty(read('overlay.externalIPRanges')),
      fixedAddressRanges: unlessEmpty(read('overlay.fixedAddressRanges')),
      outsideClients: unlessEmpty(read('overlay.outsideClients')),
      bfdIntervalMs: unlessAuto(read('overlay.bfdIntervalMs')),
      encapsulation: read('overlay.encapsulation'),
    },
  };
}

function unlessEmpty({ value, source }: Sourced<string>): Sourced<string | null> {
  return { value: value === '' ? null : value, source };
}

function unlessAuto({ value, source }: Sourced<number | 'auto'>): Sourced<number | null> {
  return { value: value === 'auto' ? null : value, source };
}

function cpuList({ value, source }: Sourced<number | string>): Sourced<string | null> {
  return { value: value === 'none' ? null : normalizeCpuList(String(value)), source };
}
