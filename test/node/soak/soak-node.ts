// npm run soak: many times `apply` and its reversal, and reboots; prints the first and the last tenth side by side.
//   npm run soak -- [--cycles N] [--reboots N] [--lan NAME] [--json FILE]
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { type SoakResult, soakCycles, soakReboots } from './soak.ts';

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '20' },
    reboots: { type: 'string', default: '5' },
    lan: { type: 'string', default: 'dhcp' },
    json: { type: 'string' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const { lan } = options;
const [cycles, reboots] = [Number(options.cycles), Number(options.reboots)];
const results: Record<string, SoakResult> = {};

if (cycles > 0) {
  results[`${cycles} cycles of apply and back`] = await soakCycles({
    lan,
    cycles,
    sampleEvery: Math.max(1, Math.floor(cycles / 40)),
    say: (text) => say(`# ${text}`),
  });
}
if (reboots > 0) results[`${reboots} reboots`] = await soakReboots({ lan, reboots, say: (text) => say(`# ${text}`) });

for (const [title, { trends, faults }] of Object.entries(results)) {
  say(`\n| ${title}, ${lan} | first tenth | last tenth | most | |\n|---|---|---|---|---|`);
  for (const { name, first, last, most, fault } of trends)
    say(`| ${name} | ${Math.round(first)} | ${Math.round(last)} | ${Math.round(most)} | ${fault ?? ''} |`);
  for (const fault of faults) say(`FAULT ${fault}`);
  if (faults.length > 0 || trends.some((trend) => trend.fault !== null)) process.exitCode = 1;
}
if (options.json !== undefined) fs.writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
