// What of this project goes into a node's disk before its first boot.

import fs from 'node:fs';
import path from 'node:path';
import { watchUnits } from '../../agent/model/units.ts';
import { copyToDisk, linkOnDisk, writeToDisk } from './disk.ts';
import type { Lan } from './lan.ts';
import type { NodeOptions } from './node.ts';
import { compiledDir, projectDir, sourceDir } from './source.ts';

const guestFiles = ['lib.sh', 'net.sh', 'state.sh', 'pinger.py', 'relay.py'];
const unitFile = /\.(service|timer|path|target|socket)$/;
const unitDir = '/usr/lib/systemd/system';

/** Puts the LAN, the agent, its units and the test's own files into the node. */
export function furnish(root: string, lan: Lan, options: NodeOptions): void {
  for (const file of guestFiles) copyToDisk(root, `/testnode/${file}`, path.join(sourceDir, 'guest', file));
  copyToDisk(root, '/testnode/channel.mjs', path.join(compiledDir, 'guest/channel.js'));
  writeToDisk(root, '/testnode/lan.sh', lan.script);
  if (!options.bare) putAgent(root, options);
  for (const [to, from] of Object.entries(options.folders ?? {})) copyToDisk(root, to, from);
  for (const [file, text] of Object.entries(options.files ?? {})) writeToDisk(root, file, text);
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
  copyToDisk(root, '/usr/libexec/microshift-net/keep-bridges', path.join(units, 'keep-bridges.sh'));
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
  if (options.enableUnit || options.enableRepair) {
    for (const unit of watchUnits)
      linkOnDisk(root, `/etc/systemd/system/multi-user.target.wants/${unit}`, `${unitDir}/${unit}`);
  }
}
