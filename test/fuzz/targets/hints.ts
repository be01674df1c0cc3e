// The hint files: the target reads them, plans with them and prints them.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { readSmallFile } from '../../../agent/drivers/host/files/files.ts';
import { readHints } from '../../../agent/facts/hints.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { dhcpNode } from '../corpus.ts';
import { expectedFailure } from '../expect.ts';
import { readingOnly, scratchFolder } from '../scratch.ts';
import type { FuzzTarget } from '../target.ts';

/** Separator of the five files in an input. */
const nextFile = '\x1f';
const names = ['iface_default_hint', 'extra_bridge', 'default_bridge', 'primary-ip', 'bridges.json'];

export const hints: FuzzTarget = {
  corpus: () =>
    [
      ['eth0\n'],
      ['eth1\n', 'eth0\n'],
      ['', 'eth1', 'eth0\n', '192.0.2.50\n'],
      ['br-ex\n', '', '', '2001:db8::50'],
      [' eth0 \r\n# comment\n', 'eth9\n'],
      ['', '', '', '', '[{"bridge":"breth0","interface":"eth0","routeMetric":50}]'],
    ].map((files) => Buffer.from(files.join(nextFile))),
  words: [nextFile, 'eth0', 'eth0\n', 'lo', 'br-ex', 'ovs-system', '../eth0', '; reboot', '\n', ' ', '\0', '-', '::1'],
  form: 'bytes',
  open: () => {
    const node = dhcpNode();
    const folder = scratchFolder('hints');
    return {
      feed: (input) => {
        const texts = input.toString('latin1').split(nextFile);
        names.forEach((name, index) => {
          const text = texts[index] ?? '';
          if (text === '') rmSync(`${folder.path}/${name}`, { force: true });
          else writeFileSync(`${folder.path}/${name}`, text, 'latin1');
        });
        return readingOnly(folder.path, () => {
          const found = readHints((path) => readSmallFile(`${folder.path}/${path.split('/').at(-1)}`));
          for (const value of Object.values(found))
            if (value !== null && value.length > input.length) throw new Error('a hint longer than its file');
          if (texts[0] === '' && existsSync(`${folder.path}/iface_default_hint`)) throw new Error('not removed');
          try {
            const decision = planApply(defaultConfig, { ...node, hints: found }, true);
            if (decision.kind !== 'planned') throw new Error('it waits although waiting is over');
            return `uplink ${decision.plan.choice?.interface ?? 'none'}, ${decision.plan.wanted.bridges.length} bridges`;
          } catch (error) {
            return expectedFailure(error);
          }
        });
      },
      close: folder.remove,
    };
  },
};
