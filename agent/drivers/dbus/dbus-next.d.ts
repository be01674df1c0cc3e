/** Types of the dbus-next files that the driver uses. The package itself has types only for its high-level API. */
declare module 'dbus-next/lib/message.js' {
  /** Methods of a stream that the parser calls. */
  export interface MessageStream {
    on(event: 'readable', listener: () => void): unknown;
    read(bytes: number): Buffer | null;
  }
  /** Header fields of a message, and a function that decodes its body. bounds.ts gives a message this function. */
  export interface WireMessage {
    readonly type: number;
    readonly replySerial?: number;
    readonly sender?: string;
    readonly body?: () => unknown;
  }
  export function unmarshalMessages(
    stream: MessageStream,
    onMessage: (message: WireMessage) => void,
    options: object,
  ): void;
}

declare module 'dbus-next/lib/signature.js' {
  /**
   * One complete type of a D-Bus signature. An array, dictionary entry or struct contains the types of its elements.
   */
  export interface WireType {
    readonly type: string;
    readonly child: readonly WireType[];
  }
  export function parseSignature(signature: string): WireType[];
}

declare module 'dbus-next/lib/dbus-buffer.js' {
  import type { WireType } from 'dbus-next/lib/signature.js';
  export default class DBusBuffer {
    readonly buffer: Buffer;
    readonly pos: number;
    read(signature: string): unknown;
    readSimpleType(type: string): unknown;
    readArray(element: WireType, bytes: number): unknown;
  }
}

declare module 'dbus-next/lib/marshall-compat.js' {
  import type { Message } from 'dbus-next/lib/message-type.js';
  export function messageToJsFmt(message: unknown): Partial<Message>;
  export function marshallMessage(message: Message): [data: Buffer, descriptors: number[]];
}

declare module 'dbus-next/lib/message-type.js' {
  export class Message {
    constructor(fields: Partial<Message>);
    readonly type: number;
    readonly serial: number;
    readonly replySerial: number | undefined;
    readonly path: string;
    readonly interface: string;
    readonly member: string;
    readonly errorName: string;
    readonly destination: string;
    readonly sender: string;
    readonly signature: string;
    readonly body: unknown[];
    readonly flags: number;
  }
}

declare module 'dbus-next/lib/variant.js' {
  export class Variant {
    constructor(signature: string, value: unknown);
    readonly signature: string;
    readonly value: unknown;
  }
}
