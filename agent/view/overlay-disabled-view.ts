import { joinLines } from './style.ts';

/** What `overlay disable` came to, and what is left to do elsewhere. */
export function disabledText(done: {
  readonly node: string | null;
  readonly leftOver: string | null;
  readonly cutOff: readonly string[];
  readonly units: readonly string[];
}): string {
  const { node, leftOver, cutOff, units } = done;
  const [member] = cutOff;
  return joinLines([
    node === null ? 'What a run that was cut off has left is gone.' : `${node} is in no overlay any more.`,
    ...(units.length === 0 ? [] : [`As before the overlay: ${units.join(', ')}`]),
    ...(leftOver === null ? [] : [`What is left: ${leftOver}`]),
    ...(member === undefined
      ? []
      : [`Without a central node now: ${cutOff.join(', ')}. Run there: microshift-net overlay disable`]),
  ]);
}
