import { existsSync } from 'node:fs';
import { configPaths } from '../config/read-files.ts';
import { hasProgram } from '../drivers/host/process/programs.ts';

/** Unit files of MicroShift: that of its package and that of the administrator (systemd.unit(5)). */
const microshiftUnits = ['/usr/lib', '/etc'].map((folder) => `${folder}/systemd/system/microshift.service`);

/** Returns true if MicroShift is installed on this node: its program or its unit exists. */
export function isMicroshiftInstalled(): boolean {
  return hasProgram('microshift') || microshiftUnits.some((path) => existsSync(path));
}

/**
 * Returns true if MicroShift is installed or configured on this node. A node that is prepared for MicroShift has its
 * configuration before its package.
 */
export function hasMicroshiftFiles(): boolean {
  return isMicroshiftInstalled() || [configPaths.configYaml, configPaths.configD].some((path) => existsSync(path));
}
