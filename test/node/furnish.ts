// Copies files of this project and of the test to a node's disk before the node's first boot.

import fs from 'node:fs';
import path from 'node:path';
import { watchUnits } from '../../agent/model/units.ts';
import { copyToDisk, linkOnDisk, writeToDisk } from './disk.ts';
import type { Lan } from './lan.ts';
import type { NodeKernel } from './machine.ts';
import type { NodeOptions } from './node.ts';
import { compiledDir, projectDir, sourceDir } from './source.ts';

const guestFiles = [
  'lib.sh',
  'net.sh',
  'state.sh',
  'pinger.py',
  'relay.py',
  'kernel-folders.sh',
  'second-node.sh',
  'on-second.sh',
];
const unitFile = /\.(service|timer|path|target|socket)$/;
const unitDir = '/usr/lib/systemd/system';

/**
 * A node on this machine's kernel has pipes in the place of the serial line, and no udev, whose rules make
 * NetworkManager ignore veths of pods. `+=` keeps the lists that other configuration files of NetworkManager begin.
 */
const onThisKernel: Readonly<Record<string, string>> = {
  '/etc/systemd/system/testnode-channel.service.d/pipes.conf':
    "[Service]\nExecStart=\nExecStart=/bin/sh -c 'exec node /testnode/channel.mjs < /run/to-node > /run/from-node'\n",
  '/etc/NetworkManager/conf.d/80-no-udev.conf':
    '[keyfile]\nunmanaged-devices+=driver:veth,except:interface-name:eth*\n',
};

/**
 * Settings without a mount namespace, whose set-up takes a third of the CPU time of a short service's start in
 * User-Mode Linux. Nodes on this machine's kernel keep the whole sandbox, which sandbox.test.ts tests.
 */
const withoutMounts = `[Service]
ReadOnlyPaths=
ReadWritePaths=
ProtectSystem=no
ProtectHome=no
ProtectHostname=no
ProtectKernelLogs=no
ProtectKernelModules=no
ProtectKernelTunables=no
ProtectControlGroups=no
ProtectProc=default
ProcSubset=all
PrivateTmp=no
PrivateDevices=no
PrivateMounts=no
`;

/** Services that are started for each change of the network. */
const startedOften = ['microshift-net-uplink', 'microshift-net-event'];

/**
 * Debian's hook for LSB's functions: it asks systemd for the unit of each script that loads the functions, such as
 * ovs-ctl.
 */
const lsbHook = '/usr/lib/lsb/init-functions.d/40-systemd';

const ovnYaml = '/etc/microshift/ovn.yaml';
const userspaceDataPath = 'ovs:\n  datapathType: netdev\n';

/** Copies the LAN, the agent, its units and the test's own files to the node. */
export function furnish(root: string, lan: Lan, options: NodeOptions): void {
  for (const file of guestFiles) copyToDisk(root, `/testnode/${file}`, path.join(sourceDir, 'guest', file));
  copyToDisk(root, '/testnode/channel.mjs', path.join(compiledDir, 'guest/channel.js'));
  writeToDisk(root, '/testnode/lan.sh', lan.script);
  writeToDisk(root, lsbHook, '');
  if (options.kernel === 'of this machine') {
    for (const [file, text] of Object.entries(onThisKernel)) writeToDisk(root, file, text);
  }
  if (!options.bare) putAgent(root, options);
  if (options.kernel !== 'of this machine' && !options.bare) {
    for (const service of startedOften)
      writeToDisk(root, `/etc/systemd/system/${service}.service.d/without-mounts.conf`, withoutMounts);
  }
  for (const [to, from] of Object.entries(options.folders ?? {})) copyToDisk(root, to, from);
  for (const [file, text] of Object.entries(filesOf(options))) writeToDisk(root, file, text);
}

/** Returns the test's files; on this machine's kernel they always contain an ovn.yaml. */
function filesOf({ kernel, files = {} }: NodeOptions): Readonly<Record<string, string>> {
  return kernel === 'of this machine'
    ? { ...files, [ovnYaml]: withDataPath(kernel, ovnYaml, files[ovnYaml] ?? '') }
    : files;
}

/**
 * Returns `text` of a file. On this machine's kernel, ovn.yaml selects the userspace data path, because the kernel may
 * have no module of Open vSwitch.
 */
export function withDataPath(kernel: NodeKernel | undefined, file: string, text: string): string {
  const isComplete = kernel !== 'of this machine' || file !== ovnYaml || text.includes('datapathType');
  return isComplete ? text : `${text}${userspaceDataPath}`;
}

function putAgent(root: string, options: NodeOptions): void {
  const dist = path.resolve(projectDir, options.dist ?? 'dist');
  if (fs.existsSync(dist)) {
    copyToDisk(root, '/usr/share/microshift-net', dist);
    linkOnDisk(root, '/usr/bin/microshift-net', '../share/microshift-net/microshift-net');
  }
  const units = path.join(projectDir, 'systemd');
  for (const unit of fs.existsSync(units) ? fs.readdirSync(units) : []) {
    if (unitFile.test(unit) || unit.endsWith('.service.d'))
      copyToDisk(root, `${unitDir}/${unit}`, path.join(units, unit));
  }
  // The units may write only into existing folders.
  copyToDisk(
    root,
    '/usr/lib/tmpfiles.d/microshift-net.conf',
    path.join(projectDir, 'rpm/files/microshift-net.tmpfiles'),
  );
  for (const script of ['keep-bridges', 'look-at-uplinks'])
    copyToDisk(root, `/usr/libexec/microshift-net/${script}`, path.join(units, `${script}.sh`));
  const devices = '50-microshift-net-devices.conf';
  copyToDisk(root, `/usr/lib/NetworkManager/conf.d/${devices}`, path.join(projectDir, 'rpm/files', devices));
  const dispatched = '90-microshift-net.sh';
  copyToDisk(
    root,
    `/usr/lib/NetworkManager/dispatcher.d/${dispatched}`,
    path.join(projectDir, 'rpm/files', dispatched),
  );
  if (options.enableUnit) {
    for (const unit of ['microshift-ovs-init.service', 'microshift-net-recover.service'])
      linkOnDisk(root, `/etc/systemd/system/multi-user.target.wants/${unit}`, `${unitDir}/${unit}`);
  }
  if (options.enableUnit || options.enableBridges) {
    const unit = 'microshift-net-bridges.service';
    linkOnDisk(root, `/etc/systemd/system/multi-user.target.wants/${unit}`, `${unitDir}/${unit}`);
  }
  if (options.enableUnit || options.enableRepair) {
    for (const unit of watchUnits)
      linkOnDisk(root, `/etc/systemd/system/multi-user.target.wants/${unit}`, `${unitDir}/${unit}`);
  }
}
