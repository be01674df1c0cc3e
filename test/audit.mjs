// npm run audit, a part of npm run check: reports known faults of the packages in package-lock.json.
//   npm run audit -- [--accepted=FILE] [option of npm]...
// audit-accepted.json lists accepted faults, each with the name of its advisory (GHSA-...) and the reason.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ours = '--accepted=';
const given = process.argv.slice(2);
const file = given.find((word) => word.startsWith(ours))?.slice(ours.length);
const accepted = JSON.parse(readFileSync(file ?? new URL('audit-accepted.json', import.meta.url), 'utf8'));
const options = given.filter((word) => !word.startsWith(ours));
const { stdout } = spawnSync('npm', ['audit', '--json', ...options], { encoding: 'utf8', maxBuffer: 2 ** 26 });

let report = {};
try {
  report = JSON.parse(stdout);
} catch {
  // Output that is not JSON counts as a missing report.
}
if (report.vulnerabilities === undefined) {
  const why = report.message?.replace(/ - .*/, '') ?? 'npm audit gave no report';
  say(`NOT CHECKED, the registry of this machine does not tell of faults (${why})`);
} else {
  const found = new Map();
  for (const { via } of Object.values(report.vulnerabilities)) {
    for (const advisory of via) if (typeof advisory === 'object') found.set(advisory.url.split('/').at(-1), advisory);
  }
  for (const [id, { name, severity, title, url }] of found) {
    if (accepted[id] === undefined) fail(`${name}: ${title} (${severity}, ${url})`);
    else say(`${name}: ${id} is accepted: ${accepted[id]}`);
  }
  for (const id of Object.keys(accepted)) {
    if (!found.has(id)) fail(`${id} is accepted and not there any more: take it out of audit-accepted.json`);
  }
  if (process.exitCode === undefined) say('nothing else is known');
}

function say(what) {
  process.stdout.write(`audit: ${what}\n`);
}

function fail(what) {
  say(what);
  process.exitCode = 1;
}
