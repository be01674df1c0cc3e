import DBusBuffer from 'dbus-next/lib/dbus-buffer.js';
import type { WireType } from 'dbus-next/lib/signature.js';

/*
 * Bounds for dbus-next's parser, which believes the length that an array claims to have. Elements that take no bytes,
 * or that lie beyond the end of the message, would be added without end; here, such a message cannot be read. The
 * parser also decodes the body of every message from every sender. It closes the connection over a message that
 * contains a file descriptor (`h`) without a file, which the daemon lets pass; here, the value is read as a number.
 */

const { readArray, read, readSimpleType } = DBusBuffer.prototype;

/**
 * Makes the parser check every array against its message, read a body only when it is requested, and expect no file.
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
