// Kubeconfigs: those that the agent reads by itself, and those that it passes to the library of Kubernetes. None of
// them names a plug-in, because the library would run the plug-in.
import { writeFileSync } from 'node:fs';
import { readAccess } from '../../../agent/drivers/kubernetes/kubeconfig.ts';
import { expectedFailure } from '../expect.ts';
import { readingOnly, scratchFolder } from '../scratch.ts';
import type { FuzzTarget } from '../target.ts';

const data = Buffer.from('-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n').toString('base64');

function plainConfig(cluster: object, user: object): Buffer {
  return Buffer.from(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
    }),
  );
}

export const kubeconfig: FuzzTarget = {
  corpus: () => [
    plainConfig({ server: 'https://127.0.0.1:6443', 'certificate-authority-data': data }, { token: 't' }),
    plainConfig({ server: 'https://[::1]:6443' }, { 'client-certificate-data': data, 'client-key-data': data }),
    plainConfig(
      { server: 'http://127.0.0.1:8080', 'insecure-skip-tls-verify': true },
      { username: 'u', password: 'p' },
    ),
    plainConfig({ server: 'https://localhost', 'certificate-authority': 'missing.crt' }, {}),
  ],
  words: ['"', '{', '}', '[', ']', ': ', '\n', '- ', 'server', 'https://', 'http://[', 'token', '%', '&a ', '*a', '\0'],
  form: 'json',
  open: () => {
    const folder = scratchFolder('kubeconfig');
    const path = `${folder.path}/kubeconfig`;
    return {
      feed: (input) => {
        writeFileSync(path, input);
        return readingOnly(folder.path, async () => {
          try {
            const { options } = await readAccess(path);
            const { agent } = options;
            if (typeof agent === 'object') agent.destroy();
            return 'access';
          } catch (error) {
            return expectedFailure(error, /^kubeconfig-/);
          }
        });
      },
      close: folder.remove,
    };
  },
};
