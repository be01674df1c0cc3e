// API server for a node, with the functions that `manifests apply` uses: it stores the objects that it receives, and
// prints each request on standard output.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const microshiftData = '/var/lib/microshift/resources/kubeadmin';

export const apiStandInPath = '/usr/local/bin/api-stand-in';

const server = `#!/usr/bin/env node
const fs = require('node:fs');
const objects = new Map();
const options = { key: fs.readFileSync('/testnode/api.key'), cert: fs.readFileSync('/testnode/api.crt') };
require('node:https').createServer(options, (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'https://localhost');
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  let text = '';
  request.on('data', (chunk) => { text += chunk; }).on('end', () => {
    if (request.headers.authorization !== 'Bearer secret') answer(401, { message: 'who are you' });
    else if (pathname === '/readyz') response.end('ok');
    else if (request.method === 'PATCH') {
      if (!searchParams.has('dryRun')) {
        objects.set(pathname, JSON.parse(text));
        console.log('put ' + pathname);
      }
      answer(200, JSON.parse(text));
    } else if (objects.has(pathname)) answer(200, objects.get(pathname));
    else if (/\\/[a-z]+s$/.test(pathname)) answer(200, { kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
    else answer(404, { message: 'not there' });
  });
}).listen(6443, 'localhost', () => console.log('listening'));
`;

/** Returns files of a node: the server, and its certificate and key, which openssl creates in this folder. */
export function apiStandIn(folder: string): Record<string, string> {
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost';
  const more = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', 'api.key', '-out', 'api.crt'];
  execFileSync('openssl', [...words.split(' '), ...more], { cwd: folder, stdio: 'ignore' });
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  return { [apiStandInPath]: server, '/testnode/api.key': read('api.key'), '/testnode/api.crt': read('api.crt') };
}

/** Shell text that writes MicroShift's kubeconfig for this server. */
export const writeKubeconfig = `install -d -m 700 ${microshiftData}; umask 077; cat > ${microshiftData}/kubeconfig <<END
apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://localhost:6443', certificate-authority-data: $(base64 -w0 /testnode/api.crt) } }]
users: [{ name: u, user: { token: secret } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
END`;
