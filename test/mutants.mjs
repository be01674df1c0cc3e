// npm run mutants [-- PART...]: checks that tests notice a wrong line of the agent. It puts each defect below
// separately into the compiled agent (build/agent; the sources do not change), runs the tests that should notice it,
// and compiles the file again. The last line has the counts; exit code 1 means that no test noticed some defect.
// docs/decisions/0074-defects-by-hand.md has the reason for this method.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { transformSync } from 'esbuild';

const limitMs = 120_000;

/**
 * A defect: the file, its text, the text that replaces it, and the tests that should notice it. The text occurs once in
 * its file.
 */
const defects = [
  ['model/added-names', 'name.length > nameBytes) return `', 'name.length > nameBytes + 1) return `', 'plan/added'],
  ['plan/bridge/datapath', 'lacksKernelDatapath !== true', 'lacksKernelDatapath === true', 'plan/plan-cases'],
  ['plan/bridge/handover', "method === 'disabled' || ", '', 'plan/handover'],
  [
    'plan/bridge/own-routes',
    'other.destination === destination && other.gateway === gateway',
    'other.gateway === gateway',
    'plan/plan-cases',
  ],
  ['plan/profiles/mtu', 'asked === 0 && isLeftToLease', 'isLeftToLease', 'plan/mtu', 'plan/plan-cases'],
  ['plan/profiles/route-metric', 'best <= names.routeMetric', 'best < names.routeMetric', 'plan/route-metric'],
  ['plan/uplink/kernel-ipv6', '!kernelIpv6.includes', 'kernelIpv6.includes', 'plan/plan-cases'],
  ['plan/uplink/filter-notes', ' && !isNamed(bridge, names)', '', 'plan/plan-firewall', 'plan/plan-cases'],
  [
    'plan/tuning/plan-tuning',
    "config.ovs.datapathType.value === 'netdev' &&",
    "config.ovs.datapathType.value !== 'netdev' &&",
    'plan/plan-tuning',
  ],
  [
    'plan/microshift-address',
    'wanted === null ? (byDefaultRoute',
    'wanted !== null ? (byDefaultRoute',
    'plan/microshift-address',
    'doctor/doctor-cases',
  ],
  ['compare/in-words', 'onDisk ? ', '!onDisk ? ', 'compare/in-words'],
  [
    'config/nearest',
    '(older[column - 2] ?? 0) + 1',
    '(older[column - 2] ?? 0) + 3',
    'config/config-cases',
    'config/words',
  ],
  ['config/overlay-ranges', '!range.canonical', 'range.canonical', 'config/config-cases'],
  ['facts/read-others', "typeof index === 'number' && ", '', 'facts/read-others'],
  ['facts/read-interface-rules', 'rules: known.rules + 1', 'rules: known.rules', 'facts/read-interface-rules'],
  ['doctor/known-bugs', 'fixes.some(', 'fixes.every(', 'doctor/known-bugs'],
  ['doctor/nodeport', 'isEmpty: chains.length === 0', 'isEmpty: chains.length !== 0', 'doctor/doctor-cases'],
  ['run/fault-points', '=== undefined) return unarmed', '!== undefined) return unarmed', 'run/fault-points'],
  ['run/lock', '!holder.isBrief', 'holder.isBrief', 'run/lock'],
  ['run/steps/delete-profiles', 'step.bridges.length > 0', 'step.bridges.length > 1', 'run/steps/delete-profiles'],
  ['run/rollback/recover', "record.state === 'open'", "record.state !== 'open'", 'run/rollback/recover'],
  ['overlay/members/heartbeat', '>= asked', '> asked', 'overlay/members/heartbeat'],
  [
    'overlay/members/learned-neighbours',
    'known === undefined || ',
    'known !== undefined || ',
    'overlay/members/learned-neighbours',
  ],
  [
    'overlay/members/registry',
    "'chassis' in mapOf(row, 'options')",
    "!('chassis' in mapOf(row, 'options'))",
    'overlay/members/registry',
  ],
  ['overlay/local/tunnels', "=== '-1'", "=== '-2'", 'overlay/local/tunnels'],
  [
    'overlay/cluster/isolation',
    'clusterSubnets.filter((range) => isIpv6(range) === isSix)',
    'clusterSubnets',
    'overlay/overlay-cases',
  ],
  ['workload/services/return-routes', '!own.includes(one)', 'own.includes(one)', 'workload/services'],
  [
    'workload/plan-workload',
    "row.table === 'Logical_Switch_Port'",
    "row.table !== 'Logical_Switch_Port'",
    'workload/pods/rows',
  ],
  ['drivers/ovsdb/ovsdb-session', 'Math.min(failures - 1, 16)', 'Math.max(failures - 1, 16)', 'ovsdb/session'],
  ['drivers/ovsdb/tables', 'if (!Object.hasOwn(rows, uuid))', 'if (Object.hasOwn(rows, uuid))', 'ovsdb/tables'],
];

const wanted = process.argv.slice(2);
const chosen = defects.filter(([file]) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
let missed = 0;
for (const [file, text, replacement, ...tests] of chosen) {
  const noticed = noticedBy(file, text, replacement, tests);
  if (noticed === null) missed += 1;
  process.stdout.write(
    `${noticed === null ? 'MISSED' : 'found '} ${file}: ${text} -> ${replacement}${noticed === null ? '' : ` by ${noticed}`}\n`,
  );
}
process.stdout.write(`${chosen.length - missed} found, ${missed} missed\n`);
process.exitCode = missed > 0 ? 1 : 0;

/** Returns the first test that fails with a defect; null if none fails. */
function noticedBy(file, text, replacement, tests) {
  const source = fs.readFileSync(`agent/${file}.ts`, 'utf8');
  if (source.split(text).length !== 2)
    throw new Error(`agent/${file}.ts has "${text}" ${source.split(text).length - 1} times`);
  const compiled = `build/agent/${file}.js`;
  const healthy = fs.readFileSync(compiled);
  try {
    fs.writeFileSync(compiled, compiledOf(source.replace(text, () => replacement)));
    return tests.flatMap(testFiles).find((test) => !passes(test)) ?? null;
  } finally {
    fs.writeFileSync(compiled, healthy);
  }
}

/** Returns a file as tsc compiles it, with the same names of imported files. */
function compiledOf(source) {
  const { code } = transformSync(source, { loader: 'ts', format: 'esm', target: 'es2022' });
  return code.replaceAll(/from "(\.[^"]*)\.ts"/g, 'from "$1.js"');
}

/** Returns the test with this name, or all tests of a folder. */
function testFiles(name) {
  const folder = `build/test/unit/${name}`;
  if (!fs.existsSync(folder)) return [`${folder}.test.js`];
  const files = fs.readdirSync(folder).filter((one) => one.endsWith('.test.js'));
  return files.map((one) => `${folder}/${one}`);
}

function passes(test) {
  const env = { ...process.env, TAP: '1', TAP_TIMEOUT: String(limitMs / 1000) };
  return spawnSync(process.execPath, [test], { stdio: 'ignore', timeout: limitMs, env }).status === 0;
}
