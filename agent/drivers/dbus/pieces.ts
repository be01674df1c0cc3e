import type { Socket } from 'node:net';
import type { MessageStream } from 'dbus-next/lib/message.js';

/** Largest size of a D-Bus message, in bytes (D-Bus specification, "Message Format"). */
const maxMessageBytes = 128 * 1024 * 1024;

/**
 * Presents a socket to dbus-next's parser, which reads chunks of a given size and gets null until enough bytes have
 * arrived. The socket is in flowing mode: a paused socket does not report its end while a part of a message is in its
 * buffer, and every pending call would wait until its time limit. `onGarbage` receives the parser's exception; nothing
 * is read after it.
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
