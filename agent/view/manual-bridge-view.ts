import type { BridgeLack } from '../verify/manual-bridge.ts';

/** What a bridge made by hand lacks, each with its command. */
export function lacksText(lacks: readonly BridgeLack[]): string {
  if (lacks.length === 0) return 'br-ex has all that ovn-kubernetes needs.';
  return ['ovn-kubernetes cannot use br-ex yet:', ...lacks.map(({ what, fix }) => `  ${what}: ${fix}`)].join('\n');
}
