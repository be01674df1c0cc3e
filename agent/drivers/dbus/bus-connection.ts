import { marshallMessage, messageToJsFmt } from 'dbus-next/lib/marshall-compat.js';
import { unmarshalMessages, type WireMessage } from 'dbus-next/lib/message.js';
import { Message } from 'dbus-next/lib/message-type.js';
import type { AgentError } from '../../errors.ts';
import { boundParser } from './bounds.ts';
import { busLost, busUnreachable, callTimedOut, DBusReplyError } from './dbus-errors.ts';
import { inPieces } from './pieces.ts';
import { openTransport } from './transport.ts';

/*
 * The connection uses only the framing and marshalling of dbus-next. The MessageBus of dbus-next is not used, because
 * it has these defects: a call never settles if it is made before the handshake, or is pending when the bus is lost;
 * calls have no time limit; signals are filtered through a cache of name owners into which an error reply can write a
 * wrong owner; and it loads an XML parser.
 */

const methodCall = 1;
const methodReturn = 2;
const errorReply = 3;
const signalMessage = 4;
/** Flag NO_AUTO_START of the D-Bus specification: a call does not start a service that is not running. */
const noAutoStart = 0x2;

/**
 * Time limit for the handshake and for each call to the bus daemon. The daemon answers in milliseconds; 5 s allow for a
 * machine that swaps.
 */
const connectTimeoutMs = 5_000;
/**
 * Time limit for a call that sets no other limit. NetworkManager answers in milliseconds, but may be busy for seconds
 * while it waits for OVSDB or udev.
 */
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
  /**
   * Sends a call and returns the body of its reply. Rejects with DBusReplyError, `dbus-timeout` or `dbus-lost`, or with
   * the error of the serializer if an argument does not fit the signature; always settles.
   */
  call(call: MethodCall): Promise<unknown[]>;
  /**
   * Delivers every signal of this sender from now on, including signals that another subscription's rule requested,
   * until the returned function is called. The rule is sent at once, so it takes effect before any later call (the
   * daemon processes the messages of a connection in order). A rule does not exclude other senders: every user of the
   * machine may send a signal directly to this connection. Therefore the sender in each message is compared with
   * `sender`, which is a unique name or the name of the daemon. The daemon sets the sender of every message, so it
   * cannot be forged (D-Bus specification, "Header Fields").
   */
  subscribe(matchRule: string, sender: string, listener: (signal: Signal) => void): () => void;
  /** Calls the listener once when the connection is lost, or at once if it is already lost. */
  onLost(listener: (error: AgentError) => void): () => void;
  /** Returns the number of calls sent so far, for `--verbose` and the benchmark. */
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

/** Bus name of the bus daemon itself. */
export const daemonName = 'org.freedesktop.DBus';

/**
 * Returns the address of the system bus: DBUS_SYSTEM_BUS_ADDRESS or the well-known socket (D-Bus specification, "System
 * message bus").
 */
export function systemBusAddress(environment: NodeJS.ProcessEnv): string {
  return environment.DBUS_SYSTEM_BUS_ADDRESS ?? 'unix:path=/run/dbus/system_bus_socket';
}

/** Builds a call to the bus daemon itself; all arguments are strings. */
export function daemonCall(member: string, ...body: string[]): MethodCall {
  const signature = 's'.repeat(body.length);
  return { destination: daemonName, path: '/org/freedesktop/DBus', interface: daemonName, member, signature, body };
}

boundParser();

/** Connects to the bus and sends Hello. Rejects with `dbus-unreachable`. */
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
    // The body of a signal that has no subscriber is not decoded.
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
  // The connection is closed after a message that cannot be read, because the position of the next message is unknown.
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
      // The serializer throws if an argument does not fit its signature, which rejects the call.
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
      // A refused match rule is treated as a lost connection, because its subscriber would wait for signals in vain.
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

/** Returns the message with its body decoded. */
function complete(wire: WireMessage): Message {
  return new Message(messageToJsFmt({ ...wire, body: wire.body?.() }));
}
