/** The longest name the kernel gives an interface: IFNAMSIZ less the closing NUL (linux/if.h). */
const maxBytes = 15;

/** Why the kernel would not have an interface of this name (dev_valid_name in net/core/dev.c); null: it could. */
export function interfaceNameFault(name: string): string | null {
  const bytes = Buffer.from(name);
  if (bytes.length === 0) return 'it is empty';
  if (bytes.length > maxBytes) return `it has ${bytes.length} bytes and the kernel allows ${maxBytes}`;
  if (name === '.' || name === '..') return `"${name}" is no name`;
  for (const byte of bytes) {
    if (byte === 0x2f) return 'it contains a slash';
    if (byte === 0x3a) return 'it contains a colon';
    // The kernel's isspace() looks at single bytes and counts 0xa0 (Latin-1 no-break space) in.
    if ((byte >= 0x09 && byte <= 0x0d) || byte === 0x20 || byte === 0xa0) return 'it contains a space';
  }
  return null;
}
