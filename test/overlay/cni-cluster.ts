// A cluster whose daemons follow an API server, and pods on it, for tests of the CNI plug-in.
import type { Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { apiServerFor } from '../cluster/session.ts';
import { form } from './form.ts';
import { type Host, startLan } from './hosts.ts';
import type { WhichOvn } from './ovn-of-nodes.ts';
import { createPod, installShim, makeSandbox, type Sandbox, type TestPod } from './pods.ts';
import { offerApi } from './relay.ts';

export interface CniCluster {
  readonly server: ApiServer;
  /** Nodes; the first is the central one. */
  readonly hosts: readonly [Host, Host];
  /** Creates a pod and an empty sandbox. */
  pod(
    host: Host,
    name: string,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<{ readonly pod: TestPod; readonly sandbox: Sandbox }>;
}

/**
 * Creates two nodes in an overlay, without daemons; null if no API server can run here. `keys` are keys of the group
 * overlay in their ovn.yaml.
 */
export async function startCniCluster(
  t: Test,
  keys: Readonly<Record<string, string>> = {},
): Promise<CniCluster | null> {
  const server = await apiServerFor(t);
  return server === null ? null : joinCniCluster(t, server, keys);
}

/** Creates two nodes in an overlay, without daemons, that follow a running API server. */
export async function joinCniCluster(
  t: Test,
  server: ApiServer,
  keys: Readonly<Record<string, string>> = {},
  which?: WhichOvn,
): Promise<CniCluster> {
  const lan = await startLan(t, which);
  const hosts = [await lan.host('n1', 11), await lan.host('n2', 12)] as const;
  await offerApi(t, server, hosts, keys);
  for (const host of hosts) installShim(host);
  form(t, [...hosts]);
  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  return {
    server,
    hosts,
    pod: async (host, name, annotations) => {
      const pod = await createPod(server, host.name, name, annotations);
      return { pod, sandbox: makeSandbox(host, sandboxId(), pod) };
    },
  };
}

/** Returns a container id like those of container runtimes: 64 hexadecimal digits. */
export function sandboxId(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
