// Conclusions that `npm run audit` draws from a registry's answer, and the contents of the lock file.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';

const advisory = {
  id: 1,
  url: 'https://example.org/advisories/GHSA-1111-2222-3333',
  title: 'it is bad',
  severity: 'high',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 1 },
};

/** Runs the audit with a registry that sends this answer; null for a registry without the endpoint. */
async function audit(t: Test, answer: object | null, accepted: object): Promise<{ code: number | null; said: string }> {
  const server = createServer((request, response) => {
    request.resume();
    const isAsked = request.method === 'POST' && answer !== null;
    response.writeHead(isAsked ? 200 : 405, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAsked ? answer : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const folder = t.testdir({ 'accepted.json': JSON.stringify(accepted), cache: {} });
  const child = spawn(
    process.execPath,
    [
      'test/audit.mjs',
      `--accepted=${join(folder, 'accepted.json')}`,
      `--registry=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      `--cache=${join(folder, 'cache')}`,
      '--fetch-retries=0',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, said: stdout + stderr };
}

t.test('a registry without the endpoint is reported, and is not a failure', async (t) => {
  t.match(await audit(t, null, {}), { code: 0, said: /NOT CHECKED.*405/ });
});

t.test('a fault that is not accepted, and an accepted one that the registry does not know', async (t) => {
  const { code, said } = await audit(t, { commander: [advisory] }, { 'GHSA-4444-5555-6666': 'we do not call it' });
  t.equal(code, 1);
  t.match(said, /commander: it is bad \(high, .*GHSA-1111-2222-3333\)/);
  t.match(said, /GHSA-4444-5555-6666 is accepted and not there any more/);
});

t.test('an accepted fault, with its reason, and no other fault', async (t) => {
  const accepted = { 'GHSA-1111-2222-3333': 'we do not call it' };
  t.match(await audit(t, { commander: [advisory] }, accepted), {
    code: 0,
    said: /accepted: we do not call it[\s\S]*nothing else is known/,
  });
});

t.test('the lock file contains only the loaded packages of dbus-next', (t) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { name?: string; version?: string; resolved?: string }>;
  };
  const names = new Set(Object.entries(packages).map(([path, { name }]) => name ?? path.split('node_modules/').at(-1)));
  for (const name of ['xml2js', 'usocket', 'event-stream', 'hexy', 'jsbi', 'request', 'tough-cookie', 'har-validator'])
    t.notOk(names.has(name), name);
  t.equal(
    Object.values(packages).filter(({ resolved }) => resolved !== undefined).length,
    0,
    'the lock file names no registry',
  );
  t.end();
});
