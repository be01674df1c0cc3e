import type { Config } from '../../../agent/model/config.ts';

/** Returns the configuration with other values. Only groups of settings are merged; every other value is replaced. */
export function withChanges(config: Config, changes: Record<string, unknown>): Config {
  const merge = (base: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> => {
    const entries = Object.entries(change).map(([name, value]) => {
      const before = base[name] as Record<string, unknown>;
      const isValue = 'source' in before;
      return [name, isValue ? { value, source: 'ovn.yaml:1' } : merge(before, value as Record<string, unknown>)];
    });
    return { ...base, ...Object.fromEntries(entries) };
  };
  return merge(config as unknown as Record<string, unknown>, changes) as unknown as Config;
}
