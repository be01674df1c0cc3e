/**
 * Returns the part of an interface name that the kernel allows but programs misinterpret; null for an unambiguous name.
 * ip(8) ends a line of a batch at "#" and interprets quotes, ovs-dpctl(8) treats digits as a port number, and a name
 * that begins with "-" is an option.
 */
export function misreadInName(name: string): string | null {
  const special = /[#"'`\\]/.exec(name)?.[0];
  if (special !== undefined) return `the character ${special}`;
  if (/[\s\p{C}]/u.test(name)) return 'white space or a control character';
  if (name.startsWith('-')) return 'a "-" in front';
  return /^\d+$/.test(name) ? 'nothing but digits' : null;
}
