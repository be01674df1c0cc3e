import { connect, type Socket } from 'node:net';

/*
 * Connection to the bus: a unix socket and the EXTERNAL handshake, in which the kernel attests the user id (D-Bus
 * specification, "Authentication Protocol"). dbus-next's own connector is not used: it also loads code for
 * cryptography, for cookie authentication, and to find a bus through X11. Loading this code takes a third of the start
 * time of a run that changes nothing.
 */

/**
 * Connects and authenticates. Resolves with the socket when the authentication is complete. Rejects with the system's
 * error, or with an error for one of these reasons: the address names no unix socket; the daemon refused the
 * authentication, closed the connection, or did not answer within limitMs.
 */
export function openTransport(address: string, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath(address));
    let greeting = Buffer.alloc(0);
    const timer = setTimeout(() => fail(new Error(`the daemon did not answer within ${limitMs / 1000} s`)), limitMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const ended = (): void => fail(new Error('the daemon closed the connection during authentication'));
    const readGreeting = (): void => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read())
        greeting = Buffer.concat([greeting, chunk]);
      const end = greeting.indexOf('\r\n');
      if (end < 0 && greeting.length < maxGreetingBytes) return;
      const line = greeting.toString('latin1', 0, Math.max(0, end));
      if (!line.startsWith('OK ')) {
        fail(new Error(`the daemon refused the authentication: ${JSON.stringify(line)}`));
        return;
      }
      clearTimeout(timer);
      for (const [event, listener] of listeners) socket.off(event, listener);
      if (end + 2 < greeting.length) socket.unshift(greeting.subarray(end + 2));
      resolve(socket);
    };
    const listeners = [
      ['error', fail],
      ['end', ended],
      ['readable', readGreeting],
    ] as const;
    for (const [event, listener] of listeners) socket.on(event, listener);
    const userId = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    socket.write(`\0AUTH EXTERNAL ${userId}\r\nBEGIN\r\n`);
  });
}

/** Size limit of the greeting, which is "OK" and a 32-digit GUID. A longer line is not from a D-Bus daemon. */
const maxGreetingBytes = 1024;

/** Returns the path of the first `unix:path=` address in a list (D-Bus specification, "Server Addresses"). */
function socketPath(address: string): string {
  const path = /(?:^|;)unix:(?:[^;]*,)?path=([^;,]+)/.exec(address)?.[1];
  if (path === undefined) throw new Error('the address has no unix:path= part');
  return decodeURIComponent(path);
}
