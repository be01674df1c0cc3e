import { fileText } from '../files/kernel-files.ts';

/** Value of TCP_SYN_RECV in include/net/tcp_states.h, as /proc/net/tcp prints it (proc.rst). */
const synReceived = '03';

/**
 * Returns true if the kernel has answered a connection request from the remote port to the local port, and waits for
 * the end of the handshake.
 */
export function isHalfOpen(localPort: number, remotePort: number): boolean {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  // The file /proc/net/tcp6 also contains IPv4 connections whose listening socket accepts both families.
  const lines = ['tcp', 'tcp6'].flatMap((name) => (fileText(`/proc/net/${name}`) ?? '').split('\n'));
  return lines.some((line) => {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/);
    return state === synReceived && local.endsWith(`:${hex(localPort)}`) && remote.endsWith(`:${hex(remotePort)}`);
  });
}
