// Names of units in several places agree with the files in systemd/.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { watchUnits } from '../../agent/model/units.ts';

const directory = 'systemd';
/** Units for an administrator who wants the agent to apply the manifests; no package enables them. */
const optional = /^microshift-net-manifests\./;
const installed = readdirSync(directory)
  .filter((name) => /\.(service|path|socket)$/.test(name) && !optional.test(name))
  .filter((name) => readFileSync(`${directory}/${name}`, 'utf8').includes('[Install]'));

t.test('the agent knows every unit that waits for events of br-ex', (t) => {
  t.strictSame([...watchUnits].toSorted(), installed.filter((name) => !name.endsWith('.service')).toSorted());
  t.end();
});

t.test('the package enables every unit that can be enabled', (t) => {
  const spec = readFileSync('rpm/microshift-net.spec', 'utf8');
  const named = (macro: string): string[] =>
    new RegExp(`^%global ${macro} (.*)$`, 'm').exec(spec)?.[1]?.split(' ') ?? [];
  t.strictSame([...named('boot_unit'), ...named('units')].toSorted(), installed.toSorted());
  for (const [macro, file] of [
    ['boot_unit', 'rpm/files/80-microshift-networking.preset'],
    ['units', 'rpm/files/80-microshift-net.preset'],
  ] as const) {
    const preset = readFileSync(file, 'utf8');
    for (const unit of named(macro)) t.match(preset, `enable ${unit}\n`, unit);
  }
  t.end();
});

/** Returns the settings in the file of a unit from the first line that begins with `first`, in order. */
function settingsFrom(file: string, first: string): readonly string[] {
  const lines = readFileSync(`${directory}/${file}`, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(first));
  return lines.slice(start).filter((line) => /^[A-Z]/.test(line));
}

t.test('the units that run apply have one sandbox', (t) => {
  const dropIn = 'microshift-ovs-init.service.d/50-microshift-net.conf';
  const sandbox = settingsFrom(dropIn, 'CapabilityBoundingSet=');
  t.ok(sandbox.length > 7);
  for (const unit of ['microshift-net-repair.service', 'microshift-net-bridges.service']) {
    const settings = settingsFrom(unit, 'CapabilityBoundingSet=').filter((line) => !line.startsWith('WantedBy='));
    t.strictSame(settings, sandbox, unit);
  }
  t.end();
});

t.test('every service has a full sandbox', (t) => {
  const services = readdirSync(directory).filter((name) => name.endsWith('.service'));
  const names = services.map((name) =>
    name === 'microshift-ovs-init.service' ? `${name}.d/50-microshift-net.conf` : name,
  );
  const wanted = [
    'CapabilityBoundingSet=',
    'NoNewPrivileges=yes',
    'MemoryDenyWriteExecute=yes',
    'ProtectSystem=strict',
    'ReadOnlyPaths=/run',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'PrivateMounts=yes',
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'ProtectControlGroups=yes',
    'ProtectProc=invisible',
    'RestrictAddressFamilies=',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    'SystemCallErrorNumber=EPERM',
  ];
  t.equal(names.length, 10);
  for (const name of names) {
    const lines = [
      ...settingsFrom('microshift-net-.service.d/10-sandbox.conf', '[Service]'),
      ...settingsFrom(name, '[Service]'),
    ];
    for (const setting of wanted) {
      t.ok(
        lines.some((line) => (setting.endsWith('=') ? line.startsWith(setting) : line === setting)),
        `${name}: ${setting}`,
      );
    }
  }
  t.end();
});
