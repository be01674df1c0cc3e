import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import type { Access } from './http.ts';

/**
 * Reads any kubeconfig, including exec plug-ins, identity providers and proxies, with the library
 * @kubernetes/client-node. The library is slow to load, so plain-kubeconfig.ts is tried first.
 */
export async function readWithLibrary(path: string, maxSockets: number): Promise<Access> {
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromFile(path);
  const cluster = kubeconfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error(`its current context ${JSON.stringify(kubeconfig.currentContext)} names no cluster`);
  }
  const options: RequestOptions = {};
  await kubeconfig.applyToHTTPSOptions(options);
  const cautions = cautionsOf(cluster, kubeconfig.getCurrentUser());
  return {
    path,
    server: new URL(cluster.server),
    cautions,
    options: { ...options, agent: reusing(options, maxSockets) },
  };
}

function cautionsOf(cluster: Cluster, user: User | null): readonly string[] {
  const program = user?.exec?.command ?? user?.authProvider?.config?.['cmd-path'];
  const hasSecret = [user?.token, user?.password, user?.exec, user?.authProvider].some((one) => one != null);
  return [
    ...(program === undefined ? [] : [`runs the program ${program}, here as root`]),
    ...(cluster.skipTLSVerify ? ['does not check whose server it talks to (insecure-skip-tls-verify)'] : []),
    ...(cluster.server.startsWith('http://') && hasSecret ? ['sends its credentials unencrypted (http://)'] : []),
  ];
}

/**
 * Returns an HTTP agent that reuses connections, because the HTTP agent of @kubernetes/client-node opens a connection
 * for each request. The HTTP agent of a proxy is returned unchanged.
 */
function reusing(options: RequestOptions, maxSockets: number): NonNullable<RequestOptions['agent']> {
  const { agent } = options;
  if (agent instanceof Agent && agent.constructor === Agent) {
    const { agent: _agent, headers: _headers, ...tls } = options;
    return new Agent({ ...(tls as AgentOptions), keepAlive: true, maxSockets });
  }
  return agent ?? false;
}
