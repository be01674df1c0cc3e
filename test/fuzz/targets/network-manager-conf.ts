// NetworkManager's configuration files: the target merges them, and checks whether they make NetworkManager ignore
// br-ex.
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { mergeConfig } from '../../../agent/facts/merge-config.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { dhcpNode } from '../corpus.ts';
import { expectedFailure } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

/** Separator of the files in an input. */
const nextFile = '\x1f';

export const networkManagerConf: FuzzTarget = {
  corpus: () =>
    [
      ['[keyfile]\nunmanaged-devices=interface-name:docker*;interface-name:br-*\n'],
      [
        '[keyfile]\nunmanaged-devices=*,except:type:ethernet\n',
        '[keyfile]\nunmanaged-devices+=except:interface-name:br-ex\n',
      ],
      [
        '[device-a]\nmatch-device=interface-name:~br-?x\nallowed-connections=except:origin:x;id:br-ex\nstop-match=yes\n',
      ],
      ['# comment\n[.config]\nenable=false\n[device]\nmanaged=0\n', '[connection]\nipv6.ip6-privacy=2\n'],
    ].map((files) => Buffer.from(files.join(nextFile))),
  words: [
    nextFile,
    '[keyfile]',
    '[device-x]',
    'unmanaged-devices',
    '+=',
    '-=',
    '*',
    '?',
    'except:',
    'type:',
    '\\,',
    '__proto__',
    '\n',
  ],
  form: 'bytes',
  open: () => {
    const node = dhcpNode();
    return {
      feed: (input) => {
        const texts = input.toString('latin1').split(nextFile);
        const config = mergeConfig(
          texts.map((text, index) => ({ path: `/etc/NetworkManager/conf.d/${index}.conf`, text })),
          '1.58.1',
        );
        try {
          const networkManager = { ...node.networkManager, config };
          const decision = planApply(defaultConfig, { ...node, networkManager }, true);
          return `${decision.kind}, ${config.length} sections`;
        } catch (error) {
          return expectedFailure(error);
        }
      },
      close: () => undefined,
    };
  },
};
