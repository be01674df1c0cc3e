// Asks MicroShift's API server at each address for the node, with the admin's certificate: ask-api.mjs ADDRESS... Prints a line of JSON for
// each: the address, the status, and the node's addresses or what went wrong. Ends with 1 unless all of them answered 200.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const answerLimitMs = 10_000;
const kubeconfig = readFileSync('/var/lib/microshift/resources/kubeadmin/kubeconfig', 'utf8');
const field = (name) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)[1], 'base64');
// Each kind of address has a serving certificate of its own signer, so certificates are not checked: only an answer is needed.
const identity = { cert: field('client-certificate'), key: field('client-key'), rejectUnauthorized: false };

/** One answer as `{ address, status, nodes }`, or `{ address, error }`. */
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
