import { fileText } from './kernel-files.ts';

/** TCP_SYN_RECV of include/net/tcp_states.h, as /proc/net/tcp prints it (proc.rst). */
const synReceived = '03';

/** Whether the kernel has answered a request for a connection between these ports, and waits for the end of the handshake. */
export function isHalfOpen(localPort: number, remotePort: number): boolean {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  // A listener of both families shows connections of IPv4 in tcp6.
  const lines = ['tcp', 'tcp6'].flatMap((name) => (fileText(`/proc/net/${name}`) ?? '').split('\n'));
  return lines.some((line) => {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/);
    return state === synReceived && local.endsWith(`:${hex(localPort)}`) && remote.endsWith(`:${hex(remotePort)}`);
  });
}
