import { effectiveConfig } from '../config/effective.ts';
import type { ManifestsOptions } from './manifests-options.ts';
import type { Output } from './output.ts';

/** What every `manifests` command starts from: this node's configuration, and where words go. */
export async function manifestsInput(output: Output): Promise<ManifestsOptions> {
  const { config } = await effectiveConfig();
  return {
    config,
    output: output.format,
    style: output.style,
    out: (text: string) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
  };
}
