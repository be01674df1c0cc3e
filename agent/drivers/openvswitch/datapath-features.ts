import { commandMs, run } from '../host/process/exec.ts';
import { processOf } from '../host/process/pid-file.ts';

/**
 * Features of connection tracking that OVN's flows need, as `dpif/show-dp-features` names them (ofproto-dpif.c).
 * ovs-vswitchd refuses a flow with NXBAC_CT_DATAPATH_SUPPORT if one is missing.
 */
const neededFeatures = ['CT state', 'CT zone', 'CT mark', 'CT label', 'CT state NAT'];

/**
 * Returns the features of connection tracking that the data path of a bridge lacks for OVN; empty if it has all, or if
 * ovs-vswitchd does not report them.
 */
export async function missingDatapathFeatures(bridge: string, runDirectory: string): Promise<readonly string[]> {
  const pid = processOf(`${runDirectory}/ovs-vswitchd.pid`, 'ovs-vswitchd');
  if (pid === null) return [];
  const target = `${runDirectory}/ovs-vswitchd.${pid}.ctl`;
  const { exitCode, stdout } = await run('ovs-appctl', ['-t', target, 'dpif/show-dp-features', bridge], commandMs);
  return exitCode === 0 ? missingFeatures(stdout) : [];
}

/** Returns the needed features that are absent according to the answer. */
export function missingFeatures(answer: string): readonly string[] {
  const lines = answer.split('\n').map((line) => line.trim());
  return neededFeatures.filter((feature) => lines.includes(`${feature}: No`));
}
