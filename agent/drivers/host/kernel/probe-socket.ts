import { createSocket } from 'node:dgram';

/** UDP socket that sends empty datagrams to other nodes, and reports those of other nodes. */
export interface ProbeSocket {
  /** Sends a datagram to an address. A datagram that the kernel cannot send is lost. */
  send(address: string): void;
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
  const socket = createSocket('udp4');
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
    send: (address) => {
      if (isOpen) socket.send('', remotePort, address, () => undefined);
    },
    close: end,
  };
}
