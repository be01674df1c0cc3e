const octet = /^(?:0|[1-9][0-9]{0,2})$/;
const group = /^[0-9a-fA-F]{1,4}$/;
/** The longest spelling of an IPv6 address, the last 32 bits in dotted form. */
const maxLength = 45;

/** The family of an IP address without a zone; null when it is none. */
export function addressFamily(text: string): 4 | 6 | null {
  if (text.length > maxLength) return null;
  if (isIpv4(text)) return 4;
  return isIpv6(text) ? 6 : null;
}

/** The family of an address range such as 10.42.0.0/16; null when it is none. */
export function cidrFamily(text: string): 4 | 6 | null {
  const slash = text.indexOf('/');
  const family = addressFamily(text.slice(0, Math.max(0, slash)));
  const length = text.slice(slash + 1);
  if (family === null || !octet.test(length)) return null;
  return Number(length) <= (family === 4 ? 32 : 128) ? family : null;
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => octet.test(part) && Number(part) <= 255);
}

/** RFC 4291, section 2.2. */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const dotted = text.endsWith(last) && isIpv4(last);
  const count = groups.length + (dotted ? 1 : 0);
  const plain = dotted ? groups.slice(0, -1) : groups;
  return plain.every((one) => group.test(one)) && (halves.length === 2 ? count <= 7 : count === 8);
}
