/** Types of the few dbus-next files the wrapper uses; the package ships types only for its high-level API. */
declare module 'dbus-next/lib/connection.js' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';
  import type { Message } from 'dbus-next/lib/message-type.js';
  interface Connection extends EventEmitter {
    stream: Socket;
    message(message: Message): void;
  }
  export default function createConnection(options: { busAddress: string }): Connection;
}

declare module 'dbus-next/lib/message-type.js' {
  interface MessageFields {
    type?: number;
    serial?: number;
    replySerial?: number;
    path?: string;
    interface?: string;
    member?: string;
    errorName?: string;
    destination?: string;
    sender?: string;
    signature?: string;
    body?: unknown[];
    flags?: number;
  }
  class Message {
    constructor(fields: MessageFields);
    readonly type: number;
    readonly serial: number;
    readonly replySerial: number | undefined;
    readonly path: string;
    readonly interface: string;
    readonly member: string;
    readonly errorName: string;
    readonly sender: string;
    readonly signature: string;
    readonly body: unknown[];
  }
  export { Message };
}

declare module 'dbus-next/lib/variant.js' {
  class Variant {
    constructor(signature: string, value: unknown);
    readonly signature: string;
    readonly value: unknown;
  }
  export { Variant };
}
