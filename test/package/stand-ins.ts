// Small packages with the names, versions, requirements and paths of MicroShift's and of what it stands on, built by rpmbuild.
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

export interface StandIn {
  readonly name: string;
  /** With an epoch where the real package has one. */
  readonly version: string;
  /** Further tags of the package, one a line. */
  readonly tags?: readonly string[];
  /** Path to text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Scriptlets by the word that begins them: `post`, `preun`, … */
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Why these cannot be used, for tap's `skip`; false when they can. */
export const dnfSkip: string | false =
  existsSync('/usr/bin/dnf') && existsSync('/usr/bin/createrepo_c')
    ? process.getuid?.() !== 0 && 'only root can install packages'
    : 'dnf or createrepo_c is not installed (make test installs them)';

/** Lists of MicroShift's own spec, by package; `source` inside says of which commit. */
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
  const write = (file: string): string =>
    `install -D -m 0755 /dev/stdin %{buildroot}${file} <<'END'\n${files[file]}END\n`;
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

/** MicroShift's unit, by its directives (packaging/systemd/microshift-ovs-init.service). */
const unit = `[Unit]
Description=Stands for the unit of MicroShift
After=openvswitch.service NetworkManager.service
Before=microshift.service
Requires=openvswitch.service NetworkManager.service
[Service]
Type=oneshot
ExecStart=/bin/bash /usr/bin/configure-ovs.sh
ExecStart=/bin/bash /usr/bin/configure-ovs-microshift.sh
TimeoutSec=2m
`;

/** Starts like MicroShift's (packaging/systemd/microshift.service), and does nothing. */
const microshift = `[Unit]
Description=Stands for MicroShift
Wants=network-online.target crio.service openvswitch.service microshift-ovs-init.service
After=network-online.target crio.service openvswitch.service microshift-ovs-init.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
[Install]
WantedBy=multi-user.target
`;

/** Does what MicroShift's script of this name ends with. */
const script = `#!/bin/bash
ovs-vsctl --timeout=15 --may-exist add-br br-ex -- br-set-external-id br-ex bridge-id br-ex -- set bridge br-ex fail-mode=standalone other_config:hwaddr=0a:59:00:00:00:01
nmcli device set br-ex managed no
`;

const texts: Readonly<Record<string, string>> = {
  '/usr/lib/systemd/system/microshift.service': microshift,
  '/usr/lib/systemd/system/microshift-ovs-init.service': unit,
  '/usr/bin/configure-ovs.sh': script,
  '/usr/bin/configure-ovs-microshift.sh': '#!/bin/sh\n',
  '/etc/systemd/system/ovs-vswitchd.service.d/microshift-cpuaffinity.conf': '[Service]\nCPUAffinity=0\n',
  '/etc/systemd/system/ovsdb-server.service.d/microshift-cpuaffinity.conf': '[Service]\nCPUAffinity=0\n',
};

/** MicroShift's packages of a version that a node has at least, with their real requirements, paths and scriptlets for the network. */
export function microshiftPackages(version: string): readonly StandIn[] {
  const filesOf = (name: string): Record<string, string> =>
    Object.fromEntries(
      (microshiftFiles[name] ?? [])
        .filter((file) => !/[*]|\/$/.test(file))
        .map((file) => [file, texts[file] ?? `# ${version}\n`]),
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

/** What the packages above and ours require, as RHEL 9 has it. */
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
