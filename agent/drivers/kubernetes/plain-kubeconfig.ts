import { Agent } from 'node:https';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import { fieldAt, listAt } from '../../model/kubernetes/object.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { Access } from './http.ts';
import { parseYaml } from './manifest-yaml.ts';

/** Size limit of a kubeconfig and of a certificate that it names; real ones have some kilobytes. */
const limitBytes = 1024 * 1024;

/** Keys that a plain kubeconfig may have for a cluster and for a user. MicroShift's kubeconfig has no others. */
const plainCluster = ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name'];
const plainUser = ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token'];

/**
 * Reads a kubeconfig with certificates or a token only, as MicroShift writes it; null if it contains anything else,
 * which only the library @kubernetes/client-node can read. Loading the library costs more time than a whole apply to an
 * unchanged cluster (docs/decisions/0023).
 */
export function readPlain(path: string, maxSockets: number): Access | null {
  const config = parseYaml(requireFile(path).toString());
  const context = named(listAt(config, 'contexts'), fieldAt(config, 'current-context'), 'context');
  const cluster = named(listAt(config, 'clusters'), fieldAt(context, 'cluster'), 'cluster');
  const user = named(listAt(config, 'users'), fieldAt(context, 'user'), 'user');
  const server = String(fieldAt(cluster, 'server') ?? '');
  if (!server.startsWith('https://') || !hasOnly(cluster, plainCluster) || !hasOnly(user, plainUser)) return null;

  const bytes = (of: unknown, name: string): Buffer | undefined => {
    const [inline, file] = [fieldAt(of, `${name}-data`), fieldAt(of, name)];
    if (typeof inline === 'string') return Buffer.from(inline, 'base64');
    return typeof file === 'string' ? requireFile(resolve(dirname(path), file)) : undefined;
  };
  const servername = fieldAt(cluster, 'tls-server-name');
  const token = fieldAt(user, 'token');
  const tls = {
    ca: bytes(cluster, 'certificate-authority'),
    cert: bytes(user, 'client-certificate'),
    key: bytes(user, 'client-key'),
    ...(typeof servername === 'string' ? { servername } : {}),
  };
  const headers = typeof token === 'string' ? { authorization: `Bearer ${token}` } : {};
  return {
    path,
    server: new URL(server),
    cautions: [],
    options: { ...tls, headers, agent: new Agent({ ...tls, keepAlive: true, maxSockets }) },
  };
}

/** Reads a file that has to exist; fails if it does not. */
function requireFile(path: string): Buffer {
  let bytes: Buffer | null;
  try {
    bytes = readRegularFile(path, limitBytes);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (bytes === null) throw new Error(`${path} does not exist`);
  return bytes;
}

function named(items: readonly unknown[], name: unknown, field: string): unknown {
  return fieldAt(
    items.find((item) => fieldAt(item, 'name') === name),
    field,
  );
}

function hasOnly(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).every((name) => names.includes(name));
}
