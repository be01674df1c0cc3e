// Booted node with the agent and a real MicroShift, and with containerd in the place of CRI-O. The node has no images,
// so no pod starts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { unpackedContainerd } from '../cluster/unpacked-containerd.ts';
import { managedVeths } from '../node/microshift-stand-in.ts';
import { bootNode, type NodeOptions, type TestNode } from '../node/node.ts';
import { projectDir } from '../node/source.ts';
import { microshiftFolder } from './microshift-folder.ts';

const here = path.join(projectDir, 'test/microshift');
const fromHere = (file: string): string => readFileSync(path.join(here, file), 'utf8');
const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export interface MicroShiftOptions extends Pick<NodeOptions, 'lan' | 'lanAppend' | 'files' | 'folders' | 'bare'> {
  /** MicroShift's config.yaml; empty by default. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys of ovn.yaml in addition to the data path. */
  readonly ovn?: Readonly<Record<string, unknown>>;
}

/**
 * Shell text after which the LAN sends complete checksums, which Open vSwitch's userspace data path needs and a veth
 * does not compute.
 */
const wholeChecksums = `
eval "$(declare -f lan | sed '1s/^lan/lan_of_file/')"
lan() {
  lan_of_file
  for device in $($LAN ip -br link | sed 's/[@ ].*//'); do $LAN ethtool -K "$device" tx off; done > /dev/null 2>&1
}`;

/**
 * Settings of a kubelet without control groups of its own, because the node's control groups are of version 2 and have
 * no controllers (test/node/keeper.sh). Storage is off, because it needs LVM, which the node does not have.
 */
const ofTestNode = {
  kubelet: { cgroupDriver: 'cgroupfs', cgroupsPerQOS: false, localStorageCapacityIsolation: false },
  storage: { driver: 'none', optionalCsiComponents: ['none'] },
} as const;

const runtimeConfig = `version = 2
[grpc]
  address = "/run/crio/crio.sock"
[plugins."io.containerd.grpc.v1.cri"]
  disable_apparmor = true
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd]
  # The node's disk is an overlay already, and the kernel allows only two overlays on top of each other.
  snapshotter = "native"
`;

const crio = `[Unit]
Description=containerd, in CRI-O's place
[Service]
Type=notify
Environment=PATH=/opt/containerd/bin:/opt/containerd/sbin:/usr/sbin:/usr/bin:/sbin:/bin
ExecStart=/opt/containerd/bin/containerd --config /etc/containerd/config.toml
Delegate=yes
`;

/** Drop-in that makes br-ex with the userspace data path before MicroShift's script, which keeps an existing bridge. */
const userspaceBridge = `[Service]
ExecStartPre=/bin/sh -c 'ovs-vsctl br-exists br-ex || ovs-vsctl add-br br-ex -- set bridge br-ex datapath_type=netdev'
`;

/** Files of the node in addition to those of MicroShift. */
const ownFiles: Readonly<Record<string, string>> = {
  '/testnode/kubelet-kernel.sh': fromHere('guest/kubelet-kernel.sh'),
  '/testnode/ask-api.mjs': fromHere('guest/ask-api.mjs'),
  '/etc/systemd/system/crio.service': crio,
  '/etc/containerd/config.toml': runtimeConfig,
  '/etc/systemd/system/microshift.service.d/test-node.conf': '[Service]\nExecStartPre=/testnode/kubelet-kernel.sh\n',
  '/etc/microshift/config.d/90-test-node.yaml': asJson(ofTestNode),
  ...managedVeths,
  // MicroShift looks up a name for each address of the node (`hostname -A`), which takes 12 s where no name server
  // answers.
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n',
  // NetworkManager would wait a minute for a router advertisement, which most LANs of the tests do not have.
  '/etc/systemd/system/NetworkManager-wait-online.service.d/soon.conf': '[Service]\nEnvironment=NM_ONLINE_TIMEOUT=5\n',
};

/**
 * Boots a node with MicroShift's packages and the agent's files, on this machine's kernel and with the userspace data
 * path. Does not start MicroShift; the test decides whether a reboot starts it (`systemctl enable microshift`). The
 * caller halts the node.
 */
export async function bootMicroShift({ config = {}, ovn = {}, ...options }: MicroShiftOptions): Promise<TestNode> {
  if (microshiftFolder === null) throw new Error('no folder with a real MicroShift is named');
  return bootNode({
    enableUnit: !options.bare,
    kernel: 'of this machine',
    ...options,
    lanAppend: `${options.lanAppend ?? ''}\n${wholeChecksums}`,
    folders: { '/': microshiftFolder, '/opt/containerd': path.join(unpackedContainerd(), 'usr'), ...options.folders },
    files: {
      ...ownFiles,
      ...(options.bare ? { '/etc/systemd/system/microshift-ovs-init.service.d/userspace.conf': userspaceBridge } : {}),
      '/etc/microshift/config.yaml': asJson(config),
      '/etc/microshift/ovn.yaml': asJson({ ovs: { datapathType: 'netdev' }, ...ovn }),
      ...options.files,
    },
  });
}

// Limit for the start, twice the time that it takes on an idle machine. MicroShift's unit allows 4 minutes.
const startLimitMs = 240_000;

/**
 * Starts MicroShift, unless it is starting, and waits until it reports readiness (sd_notify). Returns the duration in
 * ms. Fails with the end of its journal.
 */
export async function startMicroShift(node: TestNode): Promise<number> {
  const started = await node.run('systemctl start microshift', { timeoutMs: startLimitMs });
  if (started.exitCode === 0) return started.endedAt - started.startedAt;
  throw new Error(`MicroShift did not start: ${started.stderr}${await lastWords(node)}`);
}

/**
 * Returns MicroShift's messages about its exits in this boot, and the end of its journal without the configuration and
 * certificates that it prints at its start.
 */
export async function lastWords(node: TestNode): Promise<string> {
  const ends =
    'Restarting MicroShift|SIGTERM|Service error|MICROSHIFT STOP|terminated prematurely|process exited|panic';
  return node.text(`journalctl -b -u microshift --no-pager -o cat > /tmp/words
    grep -E '${ends}' /tmp/words | tail -n 12; echo ...; grep -vE 'run.go|certchains.go' /tmp/words | tail -n 20`);
}

/**
 * Returns the identity of MicroShift and its etcd: process ids with the times of their starts, and the number of
 * restarts by systemd. The text stays the same as long as both run.
 */
export function processesOf(node: TestNode): Promise<string> {
  return node.text(`for pid in $(systemctl show microshift -P MainPID) $(pgrep -x microshift-etcd); do
    echo "$(cat /proc/$pid/comm) $pid $(sed 's/.*) //' /proc/$pid/stat | cut -d ' ' -f 20)"
  done; systemctl show microshift -p ActiveState -p NRestarts`);
}

/** Waits for the end of MicroShift; returns the end of its journal, or null if it is still running at the limit. */
export async function endsWithin(node: TestNode, limitS: number): Promise<string | null> {
  const { exitCode } = await node.run(
    `timeout ${limitS} tail --pid="$(systemctl show microshift -P MainPID)" -f /dev/null`,
    { timeoutMs: limitS * 1000 + 30_000 },
  );
  const outOfTime = 124;
  return exitCode === outOfTime ? null : lastWords(node);
}

export interface ApiAnswer {
  readonly address: string;
  readonly status?: number;
  readonly error?: string;
  readonly nodes?: readonly { readonly name: string; readonly addresses: readonly string[] }[];
}

/** Returns the answers of MicroShift's API server at each address, as requested on the node or from the LAN. */
export async function apiAnswers(
  node: TestNode,
  addresses: readonly string[],
  from: 'node' | 'LAN' = 'node',
): Promise<readonly ApiAnswer[]> {
  const enter = from === 'LAN' ? 'ip netns exec lan ' : '';
  const { stdout } = await node.run(`${enter}node /testnode/ask-api.mjs ${addresses.join(' ')}`);
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as ApiAnswer);
}
