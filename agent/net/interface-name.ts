/** Length of the longest interface name in bytes: IFNAMSIZ without the closing NUL (linux/if.h). */
const maxBytes = 15;

/**
 * Returns the reason why the kernel would reject an interface name (dev_valid_name in net/core/dev.c); null if it would
 * accept it.
 */
export function interfaceNameFault(name: string): string | null {
  const bytes = Buffer.from(name);
  if (bytes.length === 0) return 'it is empty';
  if (bytes.length > maxBytes) return `it has ${bytes.length} bytes and the kernel allows ${maxBytes}`;
  if (name === '.' || name === '..') return `"${name}" is not a name`;
  for (const byte of bytes) {
    if (byte === 0x2f) return 'it contains a slash';
    if (byte === 0x3a) return 'it contains a colon';
    // The kernel's isspace() tests single bytes and includes 0xa0 (Latin-1 no-break space).
    if ((byte >= 0x09 && byte <= 0x0d) || byte === 0x20 || byte === 0xa0) return 'it contains a space';
  }
  return null;
}
