import { hasProgram, missingParts } from '../cluster/binaries.ts';
import { missingForContainerd } from '../cluster/unpacked-containerd.ts';
import { missingForHosts } from '../overlay/hosts.ts';
import { missingForGroups } from './groups.ts';

/** What the plug-in and the daemon start on a node. */
const absent = ['ethtool', 'nft'].find((name) => !hasProgram(name, '--version'));

/** Why no nodes with real kubelets can be had here, for tap's `skip`; false when they can. */
export const kubeletSkip: string | false =
  missingForHosts() ??
  missingParts() ??
  missingForContainerd() ??
  missingForGroups() ??
  (absent === undefined ? false : `${absent} is missing`);
