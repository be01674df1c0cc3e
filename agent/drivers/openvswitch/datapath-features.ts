import { commandMs, run } from '../host/process/exec.ts';
import { processOf } from '../host/process/pid-file.ts';

/**
 * Features of connection tracking that OVN's flows need, as `dpif/show-dp-features` names them (ofproto-dpif.c), each
 * with the option that a kernel needs for it (net/openvswitch/conntrack.c). If a feature is missing, ovs-vswitchd
 * refuses flows that need it, with the error NXBAC_CT_DATAPATH_SUPPORT.
 */
const kernelOptions: Readonly<Record<string, string>> = {
  'CT state': 'CONFIG_NF_CONNTRACK',
  'CT zone': 'CONFIG_NF_CONNTRACK_ZONES',
  'CT mark': 'CONFIG_NF_CONNTRACK_MARK',
  'CT label': 'CONFIG_NF_CONNTRACK_LABELS',
  'CT state NAT': 'CONFIG_NF_NAT',
};

/**
 * Returns the features of connection tracking that the data path of a bridge lacks for OVN; empty if no feature is
 * missing, or if ovs-vswitchd does not report the features.
 */
export async function missingDatapathFeatures(bridge: string, runDirectory: string): Promise<readonly string[]> {
  const pid = processOf(`${runDirectory}/ovs-vswitchd.pid`, 'ovs-vswitchd');
  if (pid === null) return [];
  const target = `${runDirectory}/ovs-vswitchd.${pid}.ctl`;
  const { exitCode, stdout } = await run('ovs-appctl', ['-t', target, 'dpif/show-dp-features', bridge], commandMs);
  return exitCode === 0 ? missingFeatures(stdout) : [];
}

/**
 * Returns the features of connection tracking that OVN needs and that are absent according to the output of
 * `dpif/show-dp-features`.
 */
export function missingFeatures(answer: string): readonly string[] {
  const lines = answer.split('\n').map((line) => line.trim());
  return Object.keys(kernelOptions).filter((feature) => lines.includes(`${feature}: No`));
}

/** Returns the options of the kernel's configuration that missing features need. */
export function optionsFor(missing: readonly string[]): readonly string[] {
  return missing.flatMap((feature) => kernelOptions[feature] ?? []);
}
