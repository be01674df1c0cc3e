// An API server as a service of a booted node.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { auditLogIn, flagsOf } from './api-server.ts';
import { auditPolicy } from './audit.ts';
import { builtBinaries } from './binaries.ts';
import { makeAccountKeys, makeCertificates } from './certificates.ts';

/** Folder on the node with the API server's certificates, its data and the administrator's kubeconfig. */
export const kube = '/testnode/kube';
/** Path on the node of the audit log, which has the requests of the pods' accounts. */
export const auditLogPath = auditLogIn(kube);
/** Path of MicroShift's own kubeconfig, which the commands read by default. */
export const kubeconfigPath = '/var/lib/microshift/resources/kubeadmin/kubeconfig';
const token = 'the-administrator';
const extraFlags = ['--bind-address=0.0.0.0', '--advertise-address=192.0.2.50', '--endpoint-reconciler-type=lease'];

/** Returns the text of a unit that systemd always restarts. */
export const lastingUnit = (after: string, command: string): string =>
  `[Unit]\nAfter=${after}\n[Service]\nExecStart=${command}\nRestart=always\n`;

/** Returns the administrator's kubeconfig for the API server of a host, for a node that has the folder `kube`. */
export const kubeconfigFor = (host: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://${host}:6443`, 'certificate-authority': `${kube}/ca.crt` } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

/**
 * Returns options of bootNode for a node at 192.0.2.50 with kube.service, which is not started at boot. Writes the API
 * server's files to `folder`, which the options copy to the node.
 */
export function apiOfNode(
  folder: string,
  services = '10.43.0.0/16',
): { readonly folders: Record<string, string>; readonly files: Record<string, string> } {
  mkdirSync(path.dirname(auditLogIn(folder)));
  makeAccountKeys(folder);
  makeCertificates(folder, 'IP:127.0.0.1,IP:192.0.2.50,DNS:localhost');
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write('token', token);
  write('tokens.csv', `${token},admin,1,"system:masters"\n`);
  write('audit-policy.json', JSON.stringify(auditPolicy));
  write('admin.kubeconfig', kubeconfigFor('localhost'));
  const flags = flagsOf(kube, { etcd: 2379, peer: 2380, api: 6443 });
  const start = `etcd ${flags.etcd.join(' ')} &\nexec kube-apiserver ${[...flags.kubeApiserver, ...extraFlags, `--service-cluster-ip-range=${services}`].join(' ')}\n`;
  const { kubeApiserver, kubectl } = builtBinaries();
  return {
    folders: {
      [kube]: folder,
      '/usr/bin/kube-apiserver': kubeApiserver,
      '/usr/bin/kubectl': kubectl,
      '/usr/bin/etcd': '/usr/bin/etcd',
    },
    files: {
      [`${kube}/start.sh`]: `#!/bin/bash\n${start}`,
      '/etc/systemd/system/kube.service': lastingUnit('network.target', `${kube}/start.sh`),
    },
  };
}
