// Requests the Node from MicroShift's API server at each address, with the administrator's certificate: ask-api.mjs ADDRESS...
// Prints a line of JSON per address: the address, the status, and the addresses of the Node or the error. Exits with 1 if an
// address does not answer with 200.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const answerLimitMs = 10_000;
const kubeconfig = readFileSync('/var/lib/microshift/resources/kubeadmin/kubeconfig', 'utf8');
const field = (name) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)[1], 'base64');
// Certificates are not checked: MicroShift's serving certificates have different signers, and only an answer is needed.
const identity = { cert: field('client-certificate'), key: field('client-key'), rejectUnauthorized: false };

/** Resolves with `{ address, status, nodes }`, or with `{ address, error }`. */
function ask(address) {
  return new Promise((resolve) => {
    const fail = (error) => resolve({ address, error: error.code ?? error.message });
    const options = {
      ...identity,
      host: address,
      port: 6443,
      path: '/api/v1/nodes',
      agent: false,
      timeout: answerLimitMs,
    };
    const asked = request(options, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (part) => (text += part))
        .on('error', fail);
      answer.on('end', () =>
        resolve({
          address,
          status: answer.statusCode,
          ...(answer.statusCode === 200 ? { nodes: nodesOf(text) } : { error: text }),
        }),
      );
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${answerLimitMs / 1000} s`))).on('error', fail);
    asked.end();
  });
}

const nodesOf = (text) =>
  JSON.parse(text).items.map(({ metadata, status }) => ({
    name: metadata.name,
    addresses: (status.addresses ?? []).filter(({ type }) => type === 'InternalIP').map((one) => one.address),
  }));

const answers = await Promise.all(process.argv.slice(2).map(ask));
process.stdout.write(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
process.exitCode = answers.every(({ status }) => status === 200) ? 0 : 1;
