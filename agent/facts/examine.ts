import { readTuning } from '../drivers/host/daemons.ts';
import type { Examination, JournalFacts } from '../model/examination.ts';
import { answerOf } from './answer.ts';
import { readDaemonSets } from './cluster.ts';
import { readFiles } from './files.ts';
import { readNetwork } from './network.ts';
import { readPacketFilter } from './packet-filter.ts';
import { askFirewall, askNetworkManager, askOvsdb, askVswitchd, readConfig } from './services.ts';
import { readSystem } from './system.ts';
import { readUnits } from './units.ts';

/**
 * Looks at everything `doctor` judges, side by side; each part has its own time, and one that fails is an answer, too. Reads only,
 * and starts no service by asking. What the agent itself has written down is handed in.
 */
export async function examine(journals: () => JournalFacts): Promise<Examination> {
  const [
    system,
    network,
    networkManager,
    ovs,
    vswitchd,
    tuning,
    config,
    units,
    firewall,
    packetFilter,
    files,
    daemonSets,
  ] = await Promise.all([
    answerOf('the system', readSystem),
    answerOf('the kernel', readNetwork),
    answerOf('NetworkManager', askNetworkManager),
    answerOf('ovsdb-server', askOvsdb),
    answerOf('ovs-vswitchd', askVswitchd),
    answerOf('the kernel', () => readTuning()),
    answerOf('the configuration', readConfig),
    answerOf('systemd', readUnits),
    answerOf('firewalld', askFirewall),
    answerOf('the packet filter', readPacketFilter),
    answerOf('the file system', () => readFiles(journals())),
    answerOf('the cluster', readDaemonSets),
  ]);
  return {
    system,
    network,
    networkManager,
    ovs,
    vswitchd,
    tuning,
    config,
    units,
    firewall,
    packetFilter,
    files,
    daemonSets,
  };
}
