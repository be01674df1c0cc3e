import { createSocket } from 'node:dgram';

/** Bytes of the headers of IP and UDP, without options (RFC 791, RFC 8200, RFC 768). */
const headerBytes = { udp4: 28, udp6: 48 } as const;

/** UDP socket that sends datagrams of zeros to other nodes, and reports those of other nodes. */
export interface ProbeSocket {
  /**
   * Sends a datagram to an address. `packetBytes` is the size of the packet with its headers; if the headers alone are
   * larger, the datagram is empty. A datagram that the kernel cannot send is lost.
   */
  send(address: string, packetBytes: number): void;
  close(): void;
}

/**
 * Opens a socket at an address and port of this node, for datagrams to and from the port `remotePort` of other nodes.
 * Calls `onProbe` with the address of the sender for each datagram. Calls `onClosed` if the kernel refuses the socket
 * or closes it, for example because the node does not have the address; the socket is then closed.
 */
export function openProbeSocket(
  place: { readonly address: string; readonly port: number },
  remotePort: number,
  onProbe: (address: string) => void,
  onClosed: () => void,
): ProbeSocket {
  const type = place.address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket(type);
  let isOpen = true;
  const end = (): void => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  socket.on('error', () => {
    end();
    onClosed();
  });
  socket.on('message', (_, { address, port }) => {
    if (port === remotePort) onProbe(address);
  });
  socket.bind(place);
  return {
    send: (address, packetBytes) => {
      const content = Buffer.alloc(Math.max(0, packetBytes - headerBytes[type]));
      if (isOpen) socket.send(content, remotePort, address, () => undefined);
    },
    close: end,
  };
}
