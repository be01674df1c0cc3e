import { InvalidArgumentError } from 'commander';

/** A whole number of seconds up to a day: NetworkManager counts checkpoint seconds in 32 bits, and no wait needs more. */
export function positiveSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400)
    throw new InvalidArgumentError('a whole number of seconds from 1 to 86400');
  return seconds;
}

/** A number of days as an option takes it. */
export function positiveDays(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 36_500)
    throw new InvalidArgumentError('a whole number of days from 1 to 36500');
  return days;
}

/** The number of a VLAN as an option takes it (IEEE 802.1Q). */
export function vlanId(text: string): number {
  const id = Number(text);
  if (!Number.isInteger(id) || id < 1 || id > 4094) throw new InvalidArgumentError('a whole number from 1 to 4094');
  return id;
}

/** A port of TCP or UDP as an option takes it. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError('a port from 1 to 65535');
  return port;
}
