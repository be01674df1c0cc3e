import { marshallMessage, messageToJsFmt } from 'dbus-next/lib/marshall-compat.js';
import { unmarshalMessages, type WireMessage } from 'dbus-next/lib/message.js';
import { Message } from 'dbus-next/lib/message-type.js';
import type { AgentError } from '../../errors.ts';
import { boundParser } from './bounds.ts';
import { busLost, busUnreachable, callTimedOut, DBusReplyError } from './errors.ts';
import { inPieces } from './pieces.ts';
import { openTransport } from './transport.ts';

/*
 * The only file that talks to dbus-next, and only to its framing and marshalling. Its MessageBus is not used: there a call pending
 * when the bus dies never settles, a call before the handshake never settles, calls have no time limit, signals are filtered
 * through a cache of name owners that an error reply can poison, and an XML parser is loaded.
 */

const methodCall = 1;
const methodReturn = 2;
const errorReply = 3;
const signalMessage = 4;
/** NO_AUTO_START of the D-Bus specification: asking a stopped service a question must not start it. */
const noAutoStart = 0x2;

/** The local daemon answers its handshake in milliseconds; 5 s is what a machine that swaps still needs. */
const connectTimeoutMs = 5_000;
/** NetworkManager answers in milliseconds, but may be busy for seconds while it waits for OVSDB or udev. */
const callTimeoutMs = 15_000;

export interface MethodCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: unknown[];
  readonly timeoutMs?: number;
}

export interface Signal {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly unknown[];
}

export interface Bus {
  /** Sends a call and returns the body of its reply. Rejects with DBusReplyError, `dbus-timeout` or `dbus-lost`; always settles. */
  call(call: MethodCall): Promise<unknown[]>;
  /**
   * Delivers every signal of this sender from now on, also such as somebody else's rule asked for; the rule is sent at once, so a call
   * made after this one cannot outrun it (the daemon works through one connection's messages in order). Returns the end of the
   * subscription. A rule keeps nobody else away: every user of the machine may send a signal straight to this connection, so the sender
   * is compared, a unique name or that of the daemon, which vouches for both (D-Bus specification, "Header Fields").
   */
  subscribe(matchRule: string, sender: string, listener: (signal: Signal) => void): () => void;
  /** Calls back once when the connection is lost; at once if it is lost already. */
  onLost(listener: (error: AgentError) => void): () => void;
  /** Calls sent so far, for `--verbose` and the benchmark. */
  readonly callCount: () => number;
  close(): void;
}

interface PendingCall {
  readonly resolve: (body: unknown[]) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Subscriber {
  readonly sender: string;
  readonly listener: (signal: Signal) => void;
}

/** The daemon's own name on its bus. */
export const daemonName = 'org.freedesktop.DBus';

/** Address of the system bus: DBUS_SYSTEM_BUS_ADDRESS or the well-known socket (D-Bus specification, "System message bus"). */
export function systemBusAddress(environment: NodeJS.ProcessEnv): string {
  return environment.DBUS_SYSTEM_BUS_ADDRESS ?? 'unix:path=/run/dbus/system_bus_socket';
}

/** A call to the bus daemon itself, whose arguments are text. */
export function daemonCall(member: string, ...body: string[]): MethodCall {
  const signature = 's'.repeat(body.length);
  return { destination: daemonName, path: '/org/freedesktop/DBus', interface: daemonName, member, signature, body };
}

boundParser();

/** Connects and says Hello. Rejects with `dbus-unreachable`. */
export async function connectBus(address: string): Promise<Bus> {
  const socket = await openTransport(address, connectTimeoutMs).catch((cause: unknown) => {
    throw busUnreachable(address, cause);
  });
  const pending = new Map<number | undefined, PendingCall>();
  const subscribers = new Set<Subscriber>();
  const lostListeners = new Set<(error: AgentError) => void>();
  let lost: AgentError | undefined;
  let serial = 0;

  const take = (own: number | undefined): PendingCall | undefined => {
    const call = pending.get(own);
    pending.delete(own);
    clearTimeout(call?.timer);
    return call;
  };
  const lose = (cause?: unknown): void => {
    if (lost !== undefined) return;
    lost = busLost(cause);
    for (const own of [...pending.keys()]) take(own)?.reject(lost);
    for (const listener of lostListeners) listener(lost);
  };
  const receive = (wire: WireMessage): void => {
    const { type, replySerial, sender } = wire;
    // Of what nobody asked for the body is not even read.
    if (type === signalMessage && [...subscribers].some((one) => one.sender === sender)) {
      const signal = complete(wire);
      for (const one of subscribers) if (one.sender === sender) one.listener(signal);
    } else if (type === methodReturn) {
      const { body } = complete(wire);
      take(replySerial)?.resolve(body);
    } else if (type === errorReply) {
      const { errorName, body } = complete(wire);
      take(replySerial)?.reject(new DBusReplyError(errorName, typeof body[0] === 'string' ? body[0] : ''));
    }
  };
  socket.on('error', lose);
  socket.on('end', () => lose());
  socket.on('close', () => lose());
  // A message that cannot be read means the stream cannot be trusted any more.
  const garbage = (cause: unknown): void => {
    socket.destroy();
    lose(cause);
  };
  unmarshalMessages(inPieces(socket, garbage), receive, {});

  const call = (request: MethodCall): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      if (lost !== undefined) return reject(lost);
      const { timeoutMs = callTimeoutMs, ...fields } = request;
      serial += 1;
      const own = serial;
      const what = `${request.interface}.${request.member}`;
      // Throws, which rejects this call, where an argument does not fit its signature.
      const [bytes] = marshallMessage(new Message({ ...fields, type: methodCall, serial: own, flags: noAutoStart }));
      const timer = setTimeout(() => take(own)?.reject(callTimedOut(what, timeoutMs)), timeoutMs);
      pending.set(own, { resolve, reject, timer });
      socket.write(bytes);
      return undefined;
    });

  const daemon = (member: string, ...body: string[]): Promise<unknown[]> =>
    call({ ...daemonCall(member, ...body), timeoutMs: connectTimeoutMs });

  try {
    await daemon('Hello');
  } catch (error) {
    socket.destroy();
    throw busUnreachable(address, error instanceof Error ? (error.cause ?? error) : error);
  }

  return {
    call,
    subscribe: (matchRule, sender, listener) => {
      const subscriber = { sender, listener };
      subscribers.add(subscriber);
      // A refused rule would mean waiting in vain for signals: that is as bad as a lost bus.
      daemon('AddMatch', matchRule).catch(lose);
      return () => {
        subscribers.delete(subscriber);
        if (lost === undefined) daemon('RemoveMatch', matchRule).catch(() => undefined);
      };
    },
    onLost: (listener) => {
      if (lost !== undefined) listener(lost);
      lostListeners.add(listener);
      return () => lostListeners.delete(listener);
    },
    callCount: () => serial,
    close: () => {
      lostListeners.clear();
      lose();
      socket.destroy();
    },
  };
}

/** A message with its body. */
function complete(wire: WireMessage): Message {
  return new Message(messageToJsFmt({ ...wire, body: wire.body?.() }));
}
