// Which profiles of ours NetworkManager may be bringing up by itself while a run begins, and until when that is waited for.
import t from 'tap';
import type { Node } from '../../../agent/assemble.ts';
import { startDeadline } from '../../../agent/deadline.ts';
import type { NmProfile, Observation } from '../../../agent/model/observation.ts';
import { ownerKeys, profileUuid } from '../../../agent/plan/names.ts';
import { broughtUp, mayComeByThemselves } from '../../../agent/reconcile/own-activation.ts';
import { readCase } from '../plan/cases.ts';

const activating = 1;
const activated = 2;
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

const portProfile = profileUuid('ovs-port-phys0');

t.test('rows of the last boot are no sign that NetworkManager has begun', async (t) => {
  const states = new Map<string, number>();
  let listener: () => void = () => undefined;
  const nm = {
    onSignal: (heard: () => void) => {
      listener = heard;
      return () => undefined;
    },
    property: async (path: string, _interface: string, name: string) => {
      if (name === 'ActiveConnections') return [...states.keys()];
      if (name === 'Startup') return true;
      return name === 'Uuid' ? path : states.get(path);
    },
  };
  // The first to look still sees them; NetworkManager clears them away before it begins.
  const stale = { bridges: [{ ports: [{ externalIds: { [ownerKeys.networkManager]: portProfile } }] }] };
  const seen = [stale];
  const ovs = { facts: async () => seen.pop() ?? { bridges: [] } };
  const deadline = startDeadline(10_000);
  t.teardown(() => deadline.clear());
  let over = false;
  const wait = broughtUp({ nm, ovs } as unknown as Node, [ours], deadline, 10_000).then(() => {
    over = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100)); // that it does not end has no event
  t.notOk(over, 'still waiting');
  states.set(ours, activated);
  listener();
  await wait;
});
