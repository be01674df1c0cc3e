// Facts about the files of MicroShift's packages that concern a node's network, and stand-ins with these facts. The
// files themselves are not in this project: a stand-in has the effect and the size of the real file, and at the same
// byte the text that the agent looks for. test/microshift/microshift-file-table.test.ts compares the table with real
// files, if they are available.

/** One file as the package installs it. */
export interface MicroShiftFile {
  /** Path at which the package installs the file (packaging/rpm/microshift.spec). */
  readonly path: string;
  /** Path in the repository openshift/microshift. */
  readonly source: string;
  readonly bytes: number;
  readonly mode: number;
  /**
   * Texts by which the agent, systemd or NetworkManager recognizes the file, each with the byte of its first
   * occurrence.
   */
  readonly marks: Readonly<Record<string, number>>;
}

/** openshift/microshift at 8e16b12fda (August 2026). configure-ovs.sh is the same from 4.14 to 5.1. */
export const microshiftFileTable: readonly MicroShiftFile[] = [
  {
    path: '/usr/bin/configure-ovs.sh',
    source: 'packaging/systemd/configure-ovs.sh',
    bytes: 6511,
    mode: 0o755,
    marks: { '0a:59:00:00:00:01': 6288 },
  },
  {
    path: '/usr/bin/configure-ovs-microshift.sh',
    source: 'packaging/systemd/configure-ovs-microshift.sh',
    bytes: 738,
    mode: 0o755,
    marks: { 'n-handler-threads=': 548, 'n-revalidator-threads=': 685 },
  },
  {
    path: '/usr/lib/systemd/system/microshift.service',
    source: 'packaging/systemd/microshift.service',
    bytes: 955,
    mode: 0o644,
    marks: { 'Wants=': 30, 'After=': 119 },
  },
  {
    path: '/usr/lib/systemd/system/microshift-ovs-init.service',
    source: 'packaging/systemd/microshift-ovs-init.service',
    bytes: 332,
    mode: 0o644,
    marks: { 'ExecStart=/bin/bash /usr/bin/configure-ovs.sh': 215 },
  },
  {
    path: '/etc/systemd/system/ovs-vswitchd.service.d/microshift-cpuaffinity.conf',
    source: 'packaging/systemd/microshift-ovs-vswitchd.conf',
    bytes: 24,
    mode: 0o644,
    marks: { 'CPUAffinity=0': 10 },
  },
  {
    path: '/etc/systemd/system/ovsdb-server.service.d/microshift-cpuaffinity.conf',
    source: 'packaging/systemd/microshift-ovsdb-server.conf',
    bytes: 24,
    mode: 0o644,
    marks: { 'CPUAffinity=0': 10 },
  },
  {
    path: '/etc/NetworkManager/conf.d/10-microshift-ignore-devices.conf',
    source: 'packaging/NetworkManager.conf.d/10-microshift-ignore-devices.conf',
    bytes: 110,
    mode: 0o644,
    marks: { 'driver:veth': 89 },
  },
  {
    path: '/etc/crio/crio.conf.d/11-microshift-ovn.conf',
    source: 'packaging/crio.conf.d/11-microshift-ovn.conf',
    bytes: 204,
    mode: 0o644,
    marks: { cni_default_network: 165 },
  },
  {
    path: '/etc/microshift/config.yaml.default',
    source: 'packaging/microshift/config.yaml',
    bytes: 40_450,
    mode: 0o644,
    marks: { 'remoteClusters:': 2864 },
  },
  {
    path: '/etc/microshift/ovn.yaml.default',
    source: 'packaging/microshift/ovn.yaml',
    bytes: 116,
    mode: 0o644,
    marks: {},
  },
];

/** Text of each stand-in, which comment lines then fill up to the size of the real file. */
const texts: Readonly<Record<string, string>> = {
  '/usr/bin/configure-ovs.sh': `#!/bin/bash
mac=0a:59:00:00:00:01
ovs-vsctl --timeout=15 --may-exist add-br br-ex -- br-set-external-id br-ex bridge-id br-ex -- set bridge br-ex fail-mode=standalone other_config:hwaddr=$mac
nmcli device set br-ex managed no
`,
  '/usr/bin/configure-ovs-microshift.sh': `#!/bin/sh
ovs-vsctl set open . other_config:n-handler-threads=1
ovs-vsctl set open . other_config:n-revalidator-threads=1
`,
  // Unit without a program, with the order of MicroShift's unit.
  '/usr/lib/systemd/system/microshift.service': `[Unit]
Wants=network-online.target crio.service openvswitch.service microshift-ovs-init.service
After=network-online.target crio.service openvswitch.service microshift-ovs-init.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
[Install]
WantedBy=multi-user.target
`,
  '/usr/lib/systemd/system/microshift-ovs-init.service': `[Unit]
After=openvswitch.service NetworkManager.service
Before=microshift.service
Requires=openvswitch.service NetworkManager.service
[Service]
Type=oneshot
ExecStart=/bin/bash /usr/bin/configure-ovs.sh
ExecStart=/bin/bash /usr/bin/configure-ovs-microshift.sh
TimeoutSec=2m
`,
  '/etc/systemd/system/ovs-vswitchd.service.d/microshift-cpuaffinity.conf': '[Service]\nCPUAffinity=0\n',
  '/etc/systemd/system/ovsdb-server.service.d/microshift-cpuaffinity.conf': '[Service]\nCPUAffinity=0\n',
  '/etc/NetworkManager/conf.d/10-microshift-ignore-devices.conf':
    '[device]\nmatch-device=interface-name:ovn-k8s-*;driver:veth\nmanaged=0',
  // Entry of the configuration in which every value is empty.
  '/etc/microshift/config.yaml.default': `clusterToCluster:
    remoteClusters:
        - clusterNetwork: []
          domain: ""
          nextHop: []
          serviceNetwork: []
`,
  '/etc/crio/crio.conf.d/11-microshift-ovn.conf': '[crio.network]\ncni_default_network = "ovn-kubernetes"\n',
};

/**
 * Returns a stand-in with the size of the real file. The first text of the table is at the same offset as in the real
 * file if the stand-in contains the text. Throws if the text does not fit. `edit` changes the stand-in before comment
 * lines fill it; an edited file may be longer than the real one.
 */
export function microshiftStandInFile(path: string, edit = (text: string): string => text): string {
  const file = microshiftFileTable.find((entry) => entry.path === path);
  if (file === undefined) throw new Error(`nothing is known of ${path}`);
  const own = texts[path] ?? '';
  const text = edit(own);
  const [mark] = Object.entries(file.marks).filter(([word]) => text.includes(word));
  const firstLine = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  const ahead = mark === undefined ? 0 : mark[1] - text.indexOf(mark[0]);
  const whole = `${text.slice(0, firstLine)}${comments(ahead)}${text.slice(firstLine)}`;
  const missingBytes = file.bytes - whole.length;
  return `${whole}${comments(text === own ? missingBytes : Math.max(0, missingBytes))}`;
}

/** Returns comment lines with a number of bytes in total. */
function comments(bytes: number): string {
  if (bytes < 0) throw new Error(`a stand-in has ${-bytes} bytes too many`);
  const line = `# ${'-'.repeat(77)}\n`;
  const rest = bytes % line.length;
  const last = rest < 2 ? '\n'.repeat(rest) : `#${'-'.repeat(rest - 2)}\n`;
  return `${line.repeat(Math.floor(bytes / line.length))}${last}`;
}
