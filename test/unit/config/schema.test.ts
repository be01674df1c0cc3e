import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import type { OvnSettings } from '../../../agent/config/ovn-settings.generated.ts';
import { settingSchemas } from '../../../agent/config/setting-schema.ts';
import { namedSettings } from '../../../agent/config/settings.ts';
import type { Config, Sourced } from '../../../agent/model/config.ts';
import { manifestsFlavors } from '../../../agent/model/manifest-flavors.ts';

const source = (path: string) => readFileSync(join(process.cwd(), path), 'utf8');

t.test('ovn.yaml.default', (t) => {
  const shipped = source('config/ovn.yaml.default');
  const load = (ovnYaml: string) => loadConfig({ ovnYaml, configYaml: null, configD: [] });

  t.equal(shipped.split('\n')[0], '# yaml-language-server: $schema=/usr/share/microshift-net/ovn.schema.json');
  t.same(load(shipped), { config: defaultConfig, warnings: [], clusterProblems: [] }, 'the shipped file sets nothing');

  const uncommented = shipped.replace(/^#(?=\S| {2})/gm, '');
  const { config, warnings } = load(uncommented);
  t.same(warnings, []);
  t.same(withoutSources(config), withoutSources(defaultConfig), 'every line of the shipped file shows the default');
  const keys = [...uncommented.matchAll(/^ *([A-Za-z]+):/gm)].map((match) => match[1]).sort();
  t.same(
    keys,
    [...settingSchemas.keys()].map((name) => name.split('.').at(-1)).sort(),
    'every key is in the shipped file exactly once',
  );
  t.end();
});

t.test('the schema has every flavour of the manifests', (t) => {
  t.same(settingSchemas.get('manifests.flavor')?.enum, manifestsFlavors);
  t.end();
});

t.test('the schema and the type of the configuration have the same settings', (t) => {
  const wanted: Config = {
    disableOvsInit: byDefault(false),
    uplink: byDefault('auto'),
    externalUplink: byDefault(null),
    mtu: byDefault(1400),
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
    overlay: {
      nodeName: byDefault(null),
      clusterSubnet: byDefault(null),
      serviceSubnet: byDefault(null),
      joinSubnet: byDefault('100.64.0.0/16'),
      encapType: byDefault('geneve'),
      encapAddress: byDefault('auto'),
      kubeconfig: byDefault(null),
      servicePorts: byDefault('80,443'),
      externalIPRanges: byDefault(null),
      fixedAddressRanges: byDefault(null),
      outsideClients: byDefault(null),
      bfdIntervalMs: byDefault(null),
      encapsulation: byDefault('always'),
    },
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
  t.equal(JSON.stringify(defaultConfig), JSON.stringify(wanted));
  t.end();
});

t.test('every setting reaches its own place in the configuration', (t) => {
  const written = {
    disableOVSInit: true,
    mtu: 1401,
    uplink: 'eth1',
    'ovsInit.externalGatewayInterface': 'eth2',
    'ovs.cpuAffinity': '3',
    'ovs.handlerThreads': 4,
    'ovs.revalidatorThreads': 5,
    'ovs.lockMemory': true,
    'ovs.datapathType': 'netdev',
    'manifests.flavor': 'classic',
    'manifests.image': 'quay.io/example/ovn-kubernetes:6',
    'manifests.imagePullPolicy': 'Never',
    'overlay.nodeName': 'node-7',
    'overlay.clusterSubnet': '10.8.0.0/16',
    'overlay.serviceSubnet': '10.9.0.0/16',
    'overlay.joinSubnet': '10.10.0.0/16',
    'overlay.encapType': 'vxlan',
    'overlay.encapAddress': '192.0.2.11',
    'overlay.kubeconfig': '/kubeconfig-12',
    'overlay.servicePorts': '13',
    'overlay.externalIPRanges': '192.0.2.224/27',
    'overlay.fixedAddressRanges': 'cameras=10.8.14.0/24',
    'overlay.outsideClients': '192.0.2.15/32',
    'overlay.bfdIntervalMs': 200,
    'overlay.encapsulation': 'auto',
  } satisfies Omit<OvnSettings, 'ovsInit.disableOVSInit' | 'ovsInit.gatewayInterface'>;
  for (const [name, value] of Object.entries(written)) {
    const [key, group] = name.split('.').toReversed();
    const setting = { [String(key)]: value };
    const ovnYaml = JSON.stringify(group === undefined ? setting : { [group]: setting });
    const { config } = loadConfig({ ovnYaml, configYaml: null, configD: [] });
    const changed = namedSettings(config).filter(([, { source }]) => source !== 'default');
    t.strictSame(changed, [[name, { value, source: '/etc/microshift/ovn.yaml:1' }]]);
  }
  t.end();
});

t.test('every setting is described and has a default', (t) => {
  const check = (schema: Schema, name: string): void => {
    t.type(schema.description, 'string', name);
    if (name !== '') t.not(schema.default, undefined, name);
    if (schema.type === 'object') t.equal(schema.additionalProperties, false, name);
    for (const [key, child] of Object.entries(schema.properties ?? {})) check(child, `${name}.${key}`);
  };
  check(JSON.parse(source('config/ovn.schema.json')), '');
  t.end();
});

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function byDefault<T>(value: T): Sourced<T> {
  return { value, source: 'default' };
}

function withoutSources(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'source' ? undefined : inner)));
}
