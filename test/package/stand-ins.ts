// Small packages, built by rpmbuild, with the names, versions, requirements and paths of MicroShift's packages and of
// the packages that MicroShift requires.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MicroShiftFile, microshiftFileTable, microshiftStandInFile } from '../node/microshift-file-table.ts';

export interface StandIn {
  readonly name: string;
  /** Version; with an epoch if the real package has one. */
  readonly version: string;
  /** Further tags of the package, one per line. */
  readonly tags?: readonly string[];
  /** Texts of the package's files, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Scriptlets by their keyword: `post`, `preun`, … */
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Reason why these packages cannot be used, for tap's `skip`; false if they can. */
export const dnfSkip: string | false =
  existsSync('/usr/bin/dnf') && existsSync('/usr/bin/createrepo_c')
    ? process.getuid?.() !== 0 && 'only root can install packages'
    : 'dnf or createrepo_c is not installed (make test installs them)';

/** Lists from MicroShift's spec file, by package; `source` in the file names the commit. */
export const microshiftFiles = (
  JSON.parse(readFileSync('test/package/microshift-files.json', 'utf8')) as {
    files: Readonly<Record<string, readonly string[]>>;
  }
).files;

/** Builds packages into a folder. */
export function buildStandIns(folder: string, packages: readonly StandIn[]): void {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(path.join(tmpdir(), 'stand-ins-'));
  try {
    for (const [index, one] of packages.entries()) {
      const spec = path.join(work, `${index}.spec`);
      writeFileSync(spec, specOf(one));
      execFileSync('rpmbuild', ['--quiet', '-bb', spec, '--define', `_topdir ${work}`], { stdio: 'pipe' });
    }
    const built = path.join(work, 'RPMS/noarch');
    for (const file of readdirSync(built)) renameSync(path.join(built, file), path.join(folder, file));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function specOf({ name, version, tags = [], files = {}, scripts = {} }: StandIn): string {
  const [number = '', epoch] = version.split(':').toReversed();
  const paths = Object.keys(files);
  const modeOf = (file: string): string => (tableEntry(file)?.mode ?? 0o755).toString(8);
  // A real file can lack the newline at its end.
  const base64 = (file: string): string => Buffer.from(files[file] ?? '').toString('base64');
  const write = (file: string): string =>
    `base64 -d <<'END' | install -D -m ${modeOf(file)} /dev/stdin %{buildroot}${file}\n${base64(file)}\nEND\n`;
  return `
Name: ${name}
${epoch === undefined ? '' : `Epoch: ${epoch}`}
Version: ${number}
Release: 1
Summary: Stands for a package of this name
License: Apache-2.0
BuildArch: noarch
${tags.join('\n')}
%description
${name}
%install
mkdir -p %{buildroot}
${paths.map(write).join('')}
${Object.entries(scripts)
  .map(([word, text]) => `%${word}\n${text}\n`)
  .join('')}
%files
${paths.join('\n')}
`;
}

/** Returns the text of a file: the stand-in for a file that the agent recognizes, otherwise the package's version. */
function textOf(file: string, version: string): string {
  return tableEntry(file) === undefined ? `# ${version}\n` : microshiftStandInFile(file);
}

function tableEntry(file: string): MicroShiftFile | undefined {
  return microshiftFileTable.find(({ path }) => path === file);
}

/**
 * Returns MicroShift's packages of a version that every node has, with their real requirements, paths, and scriptlets
 * for the network.
 */
export function microshiftPackages(version: string): readonly StandIn[] {
  const filesOf = (name: string): Record<string, string> =>
    Object.fromEntries(
      (microshiftFiles[name] ?? [])
        .filter((file) => !/[*]|\/$/.test(file))
        .map((file) => [file, textOf(file, version)]),
    );
  const own = `Requires: microshift = ${version}`;
  return [
    {
      name: 'microshift',
      version,
      tags: ['selinux', 'networking', 'greenboot'].map((part) => `Requires: microshift-${part} = ${version}`),
      files: filesOf('microshift'),
    },
    {
      name: 'microshift-networking',
      version,
      tags: [
        own,
        'Obsoletes: openvswitch3.1 < 3.3',
        'Obsoletes: openvswitch3.3 < 3.4',
        'Obsoletes: openvswitch3.4 < 3.5',
        'Requires: (openvswitch3.5 or openvswitch >= 3.5)',
        'Requires: NetworkManager',
        'Requires: NetworkManager-ovs',
        'Requires: jq',
      ],
      files: filesOf('microshift-networking'),
      scripts: {
        post: 'if [ -d /run/systemd/system ]; then systemctl daemon-reload; systemctl restart NetworkManager; systemctl enable --now --quiet openvswitch || :; fi',
      },
    },
    { name: 'microshift-selinux', version, tags: [own] },
    { name: 'microshift-greenboot', version, tags: [own], files: filesOf('microshift-greenboot') },
  ];
}

/** Requirements of MicroShift's packages and of the agent's, as RHEL 9 has them. */
export const rhelPackages: readonly StandIn[] = [
  { name: 'openvswitch3.5', version: '3.5.0' },
  { name: 'NetworkManager', version: '1:1.54.0' },
  { name: 'NetworkManager-ovs', version: '1:1.54.0' },
  { name: 'nodejs', version: '1:22.16.0' },
  { name: 'systemd', version: '252' },
  {
    name: 'bash',
    version: '5.1',
    tags: ['Provides: /bin/sh', 'Provides: /bin/bash', 'Provides: /usr/bin/bash', 'Provides: /usr/bin/env'],
  },
  ...['iproute', 'nftables', 'iputils', 'util-linux', 'findutils', 'grep', 'jq', 'shadow-utils'].map((name) => ({
    name,
    version: '9',
  })),
];
