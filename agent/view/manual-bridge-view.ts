import type { MissingPart } from '../compare/manual-bridge.ts';
import { joinLines } from './style.ts';

/** What a bridge made by hand lacks, each with its command. */
export function missingText(lacks: readonly MissingPart[]): string {
  if (lacks.length === 0) return 'br-ex has all that ovn-kubernetes needs.';
  return joinLines(['ovn-kubernetes cannot use br-ex yet:', ...lacks.map(({ what, fix }) => `  ${what}: ${fix}`)]);
}
