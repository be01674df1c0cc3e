import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type ConfigFiles, loadConfig } from '../../../agent/config/load.ts';
import { isAgentError } from '../../../agent/errors.ts';
import { configProblemsText } from '../../../agent/view/config-view.ts';

/** Time for all rounds together; each seed gives the same inputs, a slow machine just gets through fewer of them. */
const budgetMs = 1000;
/** Far above what one input of a few hundred bytes takes, so that only a hang is caught. */
const maxRoundMs = 500;

const casesDirectory = join(process.cwd(), 'test/cases/config');
const seeds = readdirSync(casesDirectory).flatMap((name) =>
  readdirSync(join(casesDirectory, name))
    .filter((file) => file === 'ovn.yaml' || file === 'config.yaml')
    .map((file) => readFileSync(join(casesDirectory, name, file))),
);
const pieces = [
  '\n',
  ': ',
  '- ',
  '&a ',
  '*a',
  '<<',
  '!!',
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
  '%',
  '\0',
  '\ufeff',
  ',',
  '? ',
  '\\',
  '😀',
];

t.test('random bytes and mutated files give a configuration or an AgentError', (t) => {
  const random = generator(20_221_114);
  const deadline = performance.now() + budgetMs;
  const outcomes = { config: 0, error: 0 };
  for (let round = 0; round < 20_000 && performance.now() < deadline; round++) {
    const bytes = round % 4 === 0 ? noise(random) : mutated(random);
    const start = performance.now();
    outcomes[
      outcome({ ovnYaml: round % 5 === 0 ? null : bytes, configYaml: round % 3 === 0 ? bytes : null, configD: [] })
    ]++;
    if (performance.now() - start > maxRoundMs) t.fail(`too slow: ${bytes.toString('base64')}`);
  }
  t.ok(outcomes.config > 0 && outcomes.error > 0, JSON.stringify(outcomes));
  t.end();
});

function outcome(files: ConfigFiles): 'config' | 'error' {
  try {
    const { config } = loadConfig(files);
    if (typeof config.uplink.value !== 'string') t.fail('no configuration');
    return 'config';
  } catch (error) {
    const bytes = Buffer.from(files.ovnYaml ?? files.configYaml ?? '').toString('base64');
    if (!isAgentError(error) || !/^config-(?:syntax|invalid)$/.test(error.kind)) {
      t.fail(`${String(error)} from ${bytes}`);
    } else {
      const isClear = /^\/etc\/microshift\/[a-z.]+:\d+:\d+: \S/.test(error.message) && error.hint !== undefined;
      if (!isClear || hasControl(configProblemsText(error))) t.fail(`unclear: ${error.message} from ${bytes}`);
    }
    return 'error';
  }
}

function hasControl(text: string): boolean {
  return Array.from(text).some((one) => (one < ' ' && one !== '\n') || (one >= '\u007f' && one < '\u00a0'));
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: random(200) }, () => random(random(2) === 0 ? 128 : 256)));
}

function mutated(random: Random): Buffer {
  let bytes = seeds[random(seeds.length)] ?? Buffer.alloc(0);
  for (let count = random(4); count >= 0; count--) {
    const at = random(bytes.length + 1);
    const other = seeds[random(seeds.length)] ?? bytes;
    const inserted = [
      Buffer.from(pieces[random(pieces.length)] ?? ''),
      Buffer.from([random(256)]),
      other.subarray(random(other.length + 1)),
      Buffer.alloc(0),
    ][random(4)];
    bytes = Buffer.concat([bytes.subarray(0, at), inserted ?? bytes, bytes.subarray(at + random(3))]);
  }
  return bytes;
}

type Random = (below: number) => number;

/** mulberry32: small, seeded, and the same on every machine. */
function generator(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
