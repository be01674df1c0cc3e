import DBusBuffer from 'dbus-next/lib/dbus-buffer.js';
import type { WireType } from 'dbus-next/lib/signature.js';

/*
 * dbus-next believes the length an array claims to have. Elements that take no bytes, or are read beyond the message's end, would be
 * added for ever; here such a message is one that cannot be read. It reads the body of every message, from whomever, and gives up the
 * connection over one that speaks of a file (`h`) and brings none, which the daemon lets pass; here that is the number which it is.
 */

const { readArray, read, readSimpleType } = DBusBuffer.prototype;

/** Makes the parser hold every array against the message it is in, leave a body unread until it is asked for, and look for no file. */
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

/** `r` is the reserved name of a struct, which the parser takes for one without members (D-Bus specification, "Type system"). */
function takesBytes({ type, child }: WireType): boolean {
  return ['(', '{', 'r'].includes(type) ? child.some(takesBytes) : true;
}
