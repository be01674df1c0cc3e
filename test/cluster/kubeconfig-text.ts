interface Access {
  readonly server: string;
  readonly caFile: string;
  readonly user: Readonly<Record<string, unknown>>;
}

/** Returns a kubeconfig with one cluster and one user, in JSON, which is also YAML. */
export function kubeconfigText({ server, caFile, user }: Access): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
