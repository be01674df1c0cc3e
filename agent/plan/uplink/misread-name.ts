/**
 * What in a name that the kernel allows is something else to a program that is given it: ip(8) ends a line of a batch at "#" and reads quotes as
 * quotes, ovs-dpctl(8) takes digits for the number of a port, and what begins with "-" is an option. null: nothing.
 */
export function misreadInName(name: string): string | null {
  const special = /[#"'`\\]/.exec(name)?.[0];
  if (special !== undefined) return `the character ${special}`;
  if (/[\s\p{C}]/u.test(name)) return 'white space or a control character';
  if (name.startsWith('-')) return 'a "-" in front';
  return /^\d+$/.test(name) ? 'nothing but digits' : null;
}
