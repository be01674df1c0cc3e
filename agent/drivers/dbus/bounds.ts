import DBusBuffer from 'dbus-next/lib/dbus-buffer.js';
import type { WireType } from 'dbus-next/lib/signature.js';

/*
 * Bounds for dbus-next's parser, which has three faults:
 * - It trusts the length that an array claims to have, and would add elements without end if they take no bytes or lie
 *   beyond the end of the message. Here, such a message causes an error.
 * - It decodes the body of every message from every sender. Here, a body is decoded only on request.
 * - It closes the connection over a message that contains a file descriptor (`h`) without a file; the bus daemon does
 *   not reject such messages. Here, the value is read as a number.
 */

const { readArray, read, readSimpleType } = DBusBuffer.prototype;

/**
 * Changes the parser of dbus-next: it checks every array against its message, decodes a body only on request, and reads
 * a file descriptor as a number.
 */
export function boundParser(): void {
  DBusBuffer.prototype.read = function (signature) {
    return () => read.call(this, signature);
  };
  DBusBuffer.prototype.readSimpleType = function (type) {
    return readSimpleType.call(this, type === 'h' ? 'u' : type);
  };
  DBusBuffer.prototype.readArray = function (element, bytes) {
    if (bytes > this.buffer.length - this.pos) throw new Error(`an array of ${bytes} bytes is longer than its message`);
    if (!takesBytes(element)) throw new Error('an array of nothing');
    return readArray.call(this, element, bytes);
  };
}

/**
 * Returns true if a value of the type takes bytes. `r` is the reserved name of a struct, which the parser treats as a
 * struct without members (D-Bus specification, "Type system").
 */
function takesBytes({ type, child }: WireType): boolean {
  return ['(', '{', 'r'].includes(type) ? child.some(takesBytes) : true;
}
