// Which profiles of ours NetworkManager may be bringing up by itself while a run begins.
import t from 'tap';
import type { NmProfile, Observation } from '../../../agent/model/observation.ts';
import { profileUuid } from '../../../agent/plan/names.ts';
import { mayComeByThemselves } from '../../../agent/reconcile/own-activation.ts';
import { readCase } from '../plan/cases.ts';

const [activating, activated] = [1, 2];
const ours = profileUuid('ovs-if-br-ex');

/** A node with a bridge of ours, its address profile in this state; undefined: not active at all. */
function withState(state: number | undefined, change = (profile: NmProfile): NmProfile => profile): Observation {
  const { observation } = readCase('dhcp-again');
  const { networkManager } = observation;
  return {
    ...observation,
    networkManager: {
      ...networkManager,
      profiles: networkManager.profiles.map((profile) => (profile.uuid === ours ? change(profile) : profile)),
      activeConnections: networkManager.activeConnections.flatMap((active) => {
        if (active.uuid !== ours) return [active];
        return state === undefined ? [] : [{ ...active, state }];
      }),
    },
  };
}

const byHand = (profile: NmProfile): NmProfile => ({
  ...profile,
  settings: { ...profile.settings, connection: { ...profile.settings.connection, autoconnect: ['b', false] } },
});

t.strictSame(mayComeByThemselves(withState(activated)), [], 'it is there');
t.strictSame(mayComeByThemselves(withState(activating)), [ours], 'it is being brought up');
t.strictSame(mayComeByThemselves(withState(undefined)), [ours], 'it is not active, but would connect by itself');
t.strictSame(mayComeByThemselves(withState(undefined, byHand)), [], 'it does not connect by itself: a run that died');
t.strictSame(mayComeByThemselves(readCase('dhcp').observation), [], 'no profile of ours');
