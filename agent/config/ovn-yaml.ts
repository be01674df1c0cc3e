import type { AgentError } from '../errors.ts';
import type { Config, ManifestsConfig, OvsConfig, Sourced } from '../model/config.ts';
import { normalizeCpuList } from './cpu-list.ts';
import { defaultConfig } from './defaults.ts';
import { OvnSettings, type Setting } from './ovn-settings.ts';
import { readOvnTree } from './ovn-tree.ts';
import { problemsError } from './problem.ts';
import { schemaProblems } from './schema-problems.ts';
import type { SourceText } from './source-text.ts';
import { parseYaml } from './yaml.ts';
import type { YamlMapping } from './yaml-tree.ts';

/** What ovn.yaml decides: all of the configuration but the cluster's part. */
export type OvnYaml = Omit<Config, 'cluster'>;

/** Far above what the twenty settings can take up, and few enough to be checked in no time. */
const maxEvents = 10_000;

/** The settings of ovn.yaml over the defaults; throws with every problem the file has. */
export function readOvnYaml(source: SourceText): OvnYaml {
  const { cluster: _, ...defaults } = defaultConfig;
  const root = rootMapping(source);
  if (root === null) return defaults;
  const tree = readOvnTree(source, root);
  const problems = [...tree.problems, ...schemaProblems(source, tree)];
  if (problems.length > 0) throw problemsError(problems);
  const settings = new OvnSettings(source, tree);
  const result = takeSettings(settings);
  if (settings.problems.length > 0) throw problemsError(settings.problems);
  return result;
}

function rootMapping(source: SourceText): YamlMapping | null {
  const { root, secondAt } = parseYaml(source, maxEvents);
  const refusal = (offset: number, message: string, hint: string): AgentError =>
    problemsError([{ kind: 'config-syntax', source, offset, message, hint }]);
  if (secondAt !== -1)
    throw refusal(secondAt, 'a second YAML document starts here', 'keep one document; remove the --- line');
  if (root === null || (root.kind === 'scalar' && root.plain && /^(?:~|null)?$/i.test(root.text))) return null;
  if (root.kind === 'sequence')
    throw refusal(root.at, 'this is a list, not "key: value" settings', 'write the settings without dashes');
  if (root.kind !== 'mapping') {
    const hint = 'write for example mtu: 1400, with a space after the colon';
    throw refusal(root.at, 'this is no "key: value" setting', hint);
  }
  const propertyAt = Math.max(root.anchorAt, root.tagAt);
  if (propertyAt !== -1) throw refusal(propertyAt, 'anchors (&name) and tags (!name) are refused', 'remove it');
  return root;
}

function takeSettings(settings: OvnSettings): OvnYaml {
  const { disableOvsInit, mtu, persist } = defaultConfig;
  const gateway = settings.notReserved(settings.interfaceName(settings.setting<string>('ovsInit', 'gatewayInterface')));
  const uplink = settings.either(settings.interfaceName(settings.setting<string>('uplink')), gateway);
  const external = settings.interfaceName(settings.setting<string>('ovsInit', 'externalGatewayInterface'));
  settings.distinct(uplink, external);
  return {
    disableOvsInit: sourced(
      settings.either(
        settings.setting<boolean>('disableOVSInit'),
        settings.setting<boolean>('ovsInit', 'disableOVSInit'),
      ),
      disableOvsInit,
    ),
    uplink: sourced(uplink, defaultConfig.uplink),
    externalUplink: sourced<string | null>(external, defaultConfig.externalUplink),
    mtu: sourced(settings.setting<number | 'auto'>('mtu'), mtu),
    persist: sourced(settings.setting<boolean>('persist'), persist),
    ovs: takeOvs(settings),
    manifests: takeManifests(settings),
  };
}

function takeOvs(settings: OvnSettings): OvsConfig {
  const { ovs } = defaultConfig;
  const cpus = sourced<string | null>(settings.cpuList(settings.setting('ovs', 'cpuAffinity')), ovs.cpuAffinity);
  const threads = (key: 'handlerThreads' | 'revalidatorThreads'): Sourced<number | null> => {
    const { value, source } = sourced<number | 'auto' | null>(settings.setting('ovs', key), ovs[key]);
    return { value: value === 'auto' ? null : value, source };
  };
  return {
    cpuAffinity: { ...cpus, value: cpus.value === null || cpus.value === 'none' ? null : normalizeCpuList(cpus.value) },
    handlerThreads: threads('handlerThreads'),
    revalidatorThreads: threads('revalidatorThreads'),
    lockMemory: sourced(settings.setting<boolean>('ovs', 'lockMemory'), ovs.lockMemory),
    datapathType: sourced(settings.setting<'system' | 'netdev'>('ovs', 'datapathType'), ovs.datapathType),
  };
}

function takeManifests(settings: OvnSettings): ManifestsConfig {
  const { manifests } = defaultConfig;
  const take = <T>(key: keyof ManifestsConfig): Setting<T> | null => settings.setting<T>('manifests', key);
  return {
    flavor: sourced(take<ManifestsConfig['flavor']['value']>('flavor'), manifests.flavor),
    image: sourced(take<string | null>('image'), manifests.image),
    imagePullPolicy: sourced(
      take<ManifestsConfig['imagePullPolicy']['value']>('imagePullPolicy'),
      manifests.imagePullPolicy,
    ),
  };
}

function sourced<T>(setting: Setting<T> | null, fallback: Sourced<T>): Sourced<T> {
  return setting === null ? fallback : { value: setting.value, source: setting.source };
}
