interface Access {
  readonly server: string;
  readonly caFile: string;
  readonly user: Readonly<Record<string, unknown>>;
}

/** A kubeconfig with one cluster and one user; JSON is also YAML. */
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
