import { InvalidArgumentError } from 'commander';

/** A whole number of seconds up to a day: NetworkManager counts checkpoint seconds in 32 bits, and no wait needs more. */
export function positiveSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400)
    throw new InvalidArgumentError('a whole number of seconds from 1 to 86400');
  return seconds;
}
