import { familyOfZoned } from '../../../net/address.ts';
import { fileText } from '../files/kernel-files.ts';

/**
 * Yields SSH_CONNECTION from this process's environment, then from that of each ancestor. sudo(8) and su(1) remove the
 * variable; the shell that sshd has started still has it.
 */
function* environments(own: NodeJS.ProcessEnv, parent: number, root: string): Generator<string | undefined> {
  yield own.SSH_CONNECTION;
  for (let pid = parent; pid > 1; pid = parentOf(pid, root)) {
    const environ = fileText(`${root}/proc/${pid}/environ`) ?? '';
    yield /(?:^|\0)SSH_CONNECTION=([^\0]*)/.exec(environ)?.[1];
  }
}

/** Both ends of an SSH connection. */
export interface SshSession {
  readonly client: { readonly address: string; readonly port: number };
  readonly server: { readonly address: string; readonly port: number };
}

/**
 * Returns the SSH connection from which the agent was started. It is the value of SSH_CONNECTION (ssh(1)) of this
 * process or of the nearest ancestor whose value begins with a valid address. Null if no value does, or if the server's
 * address or port in this value is not valid. The client's port is not checked.
 */
export function sshSession(own = process.env, parent = process.ppid, root = ''): SshSession | null {
  for (const connection of environments(own, parent, root)) {
    const [client = '', clientPort, server = '', serverPort] = connection?.split(' ') ?? [];
    if (familyOfZoned(client) === null) continue;
    const ends = {
      client: { address: client, port: Number(clientPort) },
      server: { address: server, port: Number(serverPort) },
    };
    return familyOfZoned(client) === familyOfZoned(server) && ends.server.port > 0 ? ends : null;
  }
  return null;
}

/**
 * Returns the address of the SSH client that started the agent; null if SSH_CONNECTION has no valid address in the
 * environment of this process or of an ancestor.
 */
export function sshClient(own = process.env, parent = process.ppid, root = ''): string | null {
  for (const connection of environments(own, parent, root)) {
    const client = connection?.split(' ')[0];
    if (client !== undefined && familyOfZoned(client) !== null) return client;
  }
  return null;
}

/** Returns the parent of a process (proc_pid_status(5)); 0 if the process has ended. */
function parentOf(pid: number, root: string): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(fileText(`${root}/proc/${pid}/status`) ?? '')?.[1] ?? 0);
}
