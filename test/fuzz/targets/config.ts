// The administrator's ovn.yaml and MicroShift's config.yaml with its drop-ins.
import { withoutProblems } from '../../../agent/config/effective.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import type { ConfigFiles } from '../../../agent/config/read-files.ts';
import { isAgentError } from '../../../agent/errors.ts';
import { configProblemsText } from '../../../agent/view/config-view.ts';
import { configFiles } from '../corpus.ts';
import { expectedFailure, printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const words = [
  '\n',
  ': ',
  '- ',
  '&a ',
  '*a',
  '<<: *a',
  '!!',
  '!!binary ',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '\t',
  '#',
  '|\n',
  '---\n',
  '%YAML 1.1\n',
  '\0',
  '\ufeff',
  ',',
  '? ',
  '\\',
  '😀',
  '0x1f',
  '.inf',
  'uplink: ',
  'mtu: ',
  'ovsInit:\n  ',
  'network:\n  clusterNetwork:\n  - ',
];

export const ovnYaml: FuzzTarget = {
  corpus: () => configFiles('ovn.yaml'),
  words,
  form: 'bytes',
  open: () => session((bytes) => ({ ovnYaml: bytes, configYaml: null, configD: [] })),
};

export const clusterConfig: FuzzTarget = {
  corpus: () => configFiles('config.yaml'),
  words,
  form: 'bytes',
  open: () =>
    session((bytes, inDropIn) => ({
      ovnYaml: null,
      configYaml: inDropIn ? null : bytes,
      configD: inDropIn ? [{ name: '10-fuzz.yaml', bytes }] : [],
    })),
};

function session(filesOf: (bytes: Buffer, other: boolean) => ConfigFiles): ReturnType<FuzzTarget['open']> {
  return {
    feed: (input, random) => {
      try {
        const { config } = withoutProblems(loadConfig(filesOf(input, random(2) === 0)));
        if (typeof config.uplink.value !== 'string') throw new Error('no configuration came of it');
        return 'a configuration';
      } catch (error) {
        const kind = expectedFailure(error, /^config-(syntax|invalid)$/);
        if (!isAgentError(error)) throw error;
        if (!/^\/etc\/microshift\/[\w./-]+:\d+:\d+: \S/.test(error.message))
          throw new Error(`no place: ${error.message}`);
        printable(configProblemsText(error), 'the list of problems');
        return kind;
      }
    },
    close: () => undefined,
  };
}
