import { existsSync } from 'node:fs';
import { AgentError, messageOf } from '../../errors.ts';
import { microshiftKubeconfig } from '../../model/manifests.ts';
import type { Access } from './http.ts';
import { readPlain } from './plain-kubeconfig.ts';

/**
 * Returns the path of the kubeconfig: the requested path; if no path is requested, the path in KUBECONFIG; if
 * KUBECONFIG is not set either, the path of MicroShift's own kubeconfig.
 */
export function kubeconfigPath(asked: string | null, environment: NodeJS.ProcessEnv): string {
  if (asked !== null) return asked;
  // KUBECONFIG may list several files, which only interactive clients merge; the first existing one is used.
  const listed = (environment.KUBECONFIG ?? '').split(':').filter((path) => path !== '');
  return listed.find((path) => existsSync(path)) ?? listed[0] ?? microshiftKubeconfig;
}

/**
 * Throws `kubeconfig-missing` on a node without MicroShift, if the path is that of MicroShift's own kubeconfig and no
 * file exists there.
 */
export function refuseUnnamed(path: string): void {
  if (path !== microshiftKubeconfig || existsSync(path)) return;
  throw new AgentError(
    'kubeconfig-missing',
    'no kubeconfig is named, and this node has no MicroShift, which would write one',
    {
      hint: 'name one with --kubeconfig or KUBECONFIG',
      facts: { path },
    },
  );
}

/**
 * Reads a kubeconfig and all files that it names. If MicroShift's own kubeconfig is missing, rejects with
 * `kubeconfig-missing`, because MicroShift creates it at its first start. For any other kubeconfig that is missing or
 * cannot be used, rejects with `kubeconfig-unusable`. `maxSockets` is the largest number of connections.
 */
export async function readAccess(path: string, maxSockets = 4): Promise<Access> {
  if (!existsSync(path)) throw missing(path);
  try {
    const plain = readPlain(path, maxSockets);
    if (plain !== null) return plain;
    const { readWithLibrary } = await import('./library-kubeconfig.ts');
    return await readWithLibrary(path, maxSockets);
  } catch (error) {
    throw unusable(path, error);
  }
}

function missing(path: string): AgentError {
  if (path === microshiftKubeconfig) {
    return new AgentError('kubeconfig-missing', `MicroShift has not written ${path} yet`, {
      hint: 'start microshift.service, or name another kubeconfig with --kubeconfig (for the daemon: overlay.kubeconfig)',
      facts: { path },
    });
  }
  return new AgentError('kubeconfig-unusable', `the kubeconfig ${path} does not exist`, {
    hint: 'check the path given with --kubeconfig, in KUBECONFIG or in overlay.kubeconfig',
    facts: { path },
  });
}

function unusable(path: string, cause: unknown): AgentError {
  const [why = ''] = messageOf(cause).split('\n');
  return new AgentError('kubeconfig-unusable', `the kubeconfig ${path} cannot be used: ${why}`, {
    hint: 'name a complete kubeconfig with --kubeconfig',
    cause,
    facts: { path },
  });
}
