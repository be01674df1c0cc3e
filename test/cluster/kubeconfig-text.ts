interface Access {
  readonly server: string;
  readonly caFile: string;
  /** Name that the client sends in the TLS handshake (RFC 6066, server_name), and expects in the certificate. */
  readonly serverName?: string | undefined;
  readonly user: Readonly<Record<string, unknown>>;
}

/** Returns a kubeconfig with one cluster and one user, in JSON, which is also YAML. */
export function kubeconfigText({ server, caFile, serverName, user }: Access): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': caFile, 'tls-server-name': serverName } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
