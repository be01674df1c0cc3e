import { InvalidArgumentError } from 'commander';

function wholeNumber(what: string, first: number, last: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= first && number <= last) return number;
    throw new InvalidArgumentError(`${what} from ${first} to ${last}`);
  };
}

/** Seconds up to a day: NetworkManager counts those of a checkpoint in 32 bits, and no wait needs more. */
export const positiveSeconds = wholeNumber('a whole number of seconds', 1, 86_400);

/** A number of days as an option takes it. */
export const positiveDays = wholeNumber('a whole number of days', 1, 36_500);

/** The number of a VLAN as an option takes it (IEEE 802.1Q). */
export const vlanId = wholeNumber('a whole number', 1, 4094);

/** A port of TCP or UDP as an option takes it. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError('a port from 1 to 65535');
  return port;
}
