import type { Taps } from '../assemble.ts';
import type { ConfigFiles } from '../config/files.ts';
import { systemBusAddress } from '../drivers/dbus/connection.ts';
import { recordBus } from '../drivers/dbus/recording.ts';
import { recordOvsdb } from '../drivers/openvswitch/recording.ts';
import type { Observation } from '../model/observation.ts';
import type { Settled } from '../model/settled.ts';
import type { HostFacts } from '../observe/observe.ts';
import { writeSettled } from './file.ts';
import { inputsText, settledPath } from './look.ts';

/** What a run saw that found nothing to do. */
export interface Seen extends Pick<Settled, 'bus' | 'ovsdb'> {
  readonly host: HostFacts;
}

/** Records a run's connections; `seen` is null when the run did more than look. */
export function recordAnswers(): { readonly taps: Taps; readonly seen: (observation: Observation) => Seen | null } {
  const bus = recordBus(systemBusAddress(process.env));
  const ovsdb = recordOvsdb();
  return {
    taps: { bus: bus.tap, ovsdb: ovsdb.tap },
    seen: (observation) => {
      const exchange = bus.exchange(leftOut(observation));
      return exchange === null ? null : { bus: exchange, ovsdb: ovsdb.recorded(), host: observation };
    },
  };
}

/**
 * What need not be asked again: who has NetworkManager's name, as the other calls go to that peer and no other, and the settings of
 * profiles when the list of objects tells a version of each.
 */
function leftOut({ networkManager: { profiles } }: Observation): readonly string[] {
  const versioned = profiles.every((profile) => profile.versionId !== undefined);
  return versioned ? ['GetNameOwner', 'GetSettings'] : ['GetNameOwner'];
}

/** Lets the next run of this build find the node settled. A full /run only makes that run take longer. */
export function rememberSettled(agentBuild: string, files: ConfigFiles, { bus, ovsdb, host }: Seen): void {
  try {
    writeSettled(settledPath, { agent: agentBuild, inputs: inputsText(files, host), bus, ovsdb });
  } catch {
    // the next run looks for itself
  }
}
