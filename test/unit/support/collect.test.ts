// Files and commands of a support bundle: which of them it contains, shortens or leaves out.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { collectFiles } from '../../../agent/support/collect.ts';
import { commandItems, fileItems, overlayCommandItems, overlayFileItems } from '../../../agent/support/items.ts';
import { type Entry, itemLimitBytes, openStaging } from '../../../agent/support/staging.ts';

t.test('only the end of a long file is kept, and a link is not followed', (t) => {
  const folder = t.testdir({ short: 'all of it\n', secret: 'elsewhere\n' });
  writeFileSync(join(folder, 'long'), `first\n${'x'.repeat(itemLimitBytes)}\nlast`);
  symlinkSync(join(folder, 'secret'), join(folder, 'link'));
  const taken = new Map<string, { readonly text: string; readonly note: string | null }>();
  const add = (file: string, text: string, note: string | null): void => void taken.set(file, { text, note });
  const staging = { parent: '', name: '', entries: [], add, remove: () => undefined };
  for (const name of ['short', 'long', 'link', 'absent'])
    collectFiles(staging, [{ path: join(folder, name), as: 'text' }], []);
  const of = (name: string) => taken.get(`files${join(folder, name)}`);
  t.strictSame(of('short'), { text: 'all of it\n', note: null });
  t.equal(of('long')?.text.length, itemLimitBytes);
  t.match(of('long'), { text: /x\nlast$/, note: /^without its first 11 of \d+ bytes$/ });
  t.match(of('link'), { text: '', note: /ELOOP/ });
  t.notOk(taken.has(`files${join(folder, 'absent')}`));
  t.end();
});

t.test('a bundle has a size limit, and notes each file that it cuts', (t) => {
  const staging = openStaging('a-bundle', t.testdir({}));
  const most = 'y'.repeat(itemLimitBytes);
  for (let number = 0; number < 14; number += 1) staging.add(`file-${number}`, `${most}z`, null);
  const sizeOf = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);
  t.equal(sizeOf(staging.entries), 24 * 1024 * 1024);
  t.match(staging.entries[0], { bytes: itemLimitBytes, note: `cut after ${itemLimitBytes} bytes` });
  t.match(staging.entries[13], { bytes: 0, note: 'cut after 0 bytes' });
  staging.remove();
  staging.add('late', 'x', null);
  t.equal(staging.entries.length, 14, 'no file is added to a bundle that is being removed');
  t.end();
});

t.test('no kubeconfig, key or bundle is copied, and no secret is requested', (t) => {
  for (const { path } of [...fileItems, ...overlayFileItems]) t.notMatch(path, /kube|pki|\.bundle|\.key|\/root/, path);
  for (const { command } of [...commandItems, ...overlayCommandItems])
    t.notMatch(command, /secret|kubectl|--ask|get\/key/i, command);
  t.end();
});
