import { hasProgram, missingParts } from '../cluster/binaries.ts';
import { missingForContainerd } from '../cluster/unpacked-containerd.ts';
import { missingForPods } from '../overlay/pods.ts';
import { missingForGroups } from './groups.ts';

/** Reason why this machine cannot run nodes with real kubelets, for tap's `skip`; false if it can. */
export const kubeletSkip: string | false =
  missingForPods() ??
  missingParts() ??
  missingForContainerd() ??
  missingForGroups() ??
  // Programs that the daemon starts on a node with a gateway.
  (hasProgram('nft', '--version') ? false : 'nft is missing');
