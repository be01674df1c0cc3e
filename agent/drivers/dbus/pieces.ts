import type { Socket } from 'node:net';
import type { MessageStream } from 'dbus-next/lib/message.js';

/** The largest message there is (D-Bus specification, "Message Format"); more is no message. */
const maxMessageBytes = 128 * 1024 * 1024;

/**
 * A socket's bytes as dbus-next's parser asks for them: a piece of the wanted size, or null until it has come. The socket flows: one
 * that is read in pieces would keep its end to itself as long as half a message lies before it, and every call would wait in vain.
 * `onGarbage` is called with what the parser threw; from then on nothing is read.
 */
export function inPieces(socket: Socket, onGarbage: (cause: unknown) => void): MessageStream {
  let chunks: Buffer[] = [];
  let held = 0;
  let broken = false;
  return {
    on: (_event, listener) => {
      socket.on('data', (chunk: Buffer) => {
        if (broken) return;
        chunks.push(chunk);
        held += chunk.length;
        try {
          listener();
        } catch (cause) {
          broken = true;
          chunks = [];
          onGarbage(cause);
        }
      });
      socket.resume();
    },
    read: (bytes) => {
      if (bytes < 0 || bytes > maxMessageBytes) throw new Error(`a message of ${bytes} bytes was announced`);
      if (held < bytes) return null;
      const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      chunks = [all.subarray(bytes)];
      held -= bytes;
      return all.subarray(0, bytes);
    },
  };
}
