/** Types of the few dbus-next files the wrapper uses; the package ships types only for its high-level API. */
declare module 'dbus-next/lib/message.js' {
  /** The two methods of a stream it calls. */
  export interface MessageStream {
    on(event: 'readable', listener: () => void): unknown;
    read(bytes: number): Buffer | null;
  }
  export function unmarshalMessages(
    stream: MessageStream,
    onMessage: (message: unknown) => void,
    options: object,
  ): void;
}

declare module 'dbus-next/lib/dbus-buffer.js' {
  interface WireType {
    readonly type: string;
    readonly child: readonly WireType[];
  }
  class DBusBuffer {
    readonly buffer: Buffer;
    readonly pos: number;
    readArray(element: WireType, bytes: number): unknown;
  }

  export default DBusBuffer;
  export type { WireType };
}

declare module 'dbus-next/lib/marshall-compat.js' {
  import type { Message, MessageFields } from 'dbus-next/lib/message-type.js';
  export function messageToJsFmt(message: unknown): MessageFields;
  export function marshallMessage(message: Message): [data: Buffer, descriptors: number[]];
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

  export { Message, MessageFields };
}

declare module 'dbus-next/lib/variant.js' {
  class Variant {
    constructor(signature: string, value: unknown);
    readonly signature: string;
    readonly value: unknown;
  }

  export { Variant };
}
