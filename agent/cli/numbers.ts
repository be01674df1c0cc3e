import { InvalidArgumentError } from 'commander';

function wholeNumber(what: string, first: number, last: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= first && number <= last) return number;
    throw new InvalidArgumentError(`Use ${what} from ${first} to ${last}.`);
  };
}

/**
 * Parser of a number of seconds. The maximum is a day, which is longer than any wait has to be, and which fits into the
 * 32 bits in which NetworkManager stores the timeout of a checkpoint.
 */
export const positiveSeconds = wholeNumber('a whole number of seconds', 1, 86_400);

/** Option with the time to confirm a change; `positiveSeconds` parses its value. */
export const confirmTimeout = {
  flags: '--confirm-timeout <seconds>',
  description: 'roll back unless `confirm` follows in time (1 to 86400; without it no confirmation is needed)',
};

/** Parser of a number of days. */
export const positiveDays = wholeNumber('a whole number of days', 1, 36_500);

/** Parser of a VLAN id (IEEE 802.1Q). */
export const vlanId = wholeNumber('a whole number', 1, 4094);

/** Parses a TCP or UDP port. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError('Use a port from 1 to 65535.');
  return port;
}
