// A NIC whose own profile NetworkManager has replaced by a generated one, because NetworkManager crashed twice during a
// rollback.
import t from 'tap';
import { gatewayBridge } from '../../../agent/model/names.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planRestore } from '../../../agent/plan/make-plan.ts';
import { adminProfile } from '../../../agent/plan/uplink/source-profile.ts';
import { appliedCase, planOfCase, readCase } from './cases.ts';
import { changed } from './change.ts';

const none = { bridges: [] };
/** NM_ACTIVATION_STATE_FLAG_EXTERNAL of NetworkManager: another program has configured the device. */
const external = 0x80;

/** Returns the node with a generated profile that is active on eth0. */
function displaced(observation: Observation): Observation {
  const own = observation.networkManager.profiles.find((profile) => profile.id === 'eth0');
  const active = `networkManager/activeConnections/[uuid=${own?.uuid}]`;
  return changed(observation, {
    'networkManager/profiles/[+]': { ...own, path: '/made-up', uuid: 'made-up', filename: '/run/made-up' },
    [`${active}/stateFlags`]: external,
    [`${active}/uuid`]: 'made-up',
  });
}

t.test('a NIC that has left the bridge gets its own profile, and keeps its held addresses meanwhile', (t) => {
  const start = readCase('dhcp');
  const { wanted } = planOfCase(start);
  t.match(planRestore(none, displaced(start.observation), wanted), [
    {
      do: 'detachUplink',
      interface: 'eth0',
      profile: { id: 'eth0', uuid: '00000000-0000-4000-8000-000000000000' },
      activate: true,
      mac: null,
      addresses: ['192.0.2.50/24'],
      routes: [
        { destination: '0.0.0.0/0', gateway: '192.0.2.1' },
        { destination: '192.0.2.0/24', gateway: null },
      ],
    },
    { do: 'waitDynamic', interface: 'eth0', lease: true },
    { do: 'releaseRoutes', interface: 'eth0', destinations: ['0.0.0.0/0'] },
  ]);
  t.strictSame(
    planRestore(none, start.observation, wanted),
    [],
    "no step is planned if the NIC's own profile is active",
  );
  t.strictSame(
    planRestore(none, displaced(start.observation)),
    [],
    'no step is planned for a NIC that the run did not change',
  );
  t.end();
});

t.test('a NIC that is still in the bridge is returned to its own profile', (t) => {
  const { observation } = appliedCase('dhcp');
  const steps = planRestore(none, displaced(observation), planOfCase(readCase('dhcp')).wanted) ?? [];
  t.match(
    steps.filter((step) => step.do === 'detachUplink'),
    [{ profile: { uuid: '00000000-0000-4000-8000-000000000000' }, activate: true, mac: '52:54:00:aa:00:00' }],
  );
  t.equal(adminProfile(gatewayBridge, 'eth0', displaced(observation))?.uuid, '00000000-0000-4000-8000-000000000000');
  t.end();
});

t.test(
  'a NIC that another program configured is returned to it, and keeps an active copy of its configuration',
  (t) => {
    const start = readCase('external-vlan');
    const plan = planOfCase(start);
    t.strictSame(planRestore(none, start.observation, plan.wanted), []);
    const [copies] = plan.steps.flatMap((step) => (step.do === 'writeProfiles' ? [step.profiles] : []));
    const copy = copies?.find((profile) => profile.uuid === plan.wanted.bridges[0]?.uplink?.sourceProfile);
    t.ok(copy, 'the first run makes a copy');
    const profile = { ...copy, path: '/copy', filename: '/run/copy', flags: 0 };
    const written = changed(start.observation, { 'networkManager/profiles/[+]': profile });
    t.match(planRestore(none, written, plan.wanted), [{ do: 'deleteProfiles', profiles: [{ uuid: copy?.uuid }] }]);
    const [active] = written.networkManager.activeConnections.filter(({ stateFlags }) => (stateFlags & external) !== 0);
    const renewed = changed(written, {
      'networkManager/profiles/[+]': { ...profile, path: '/again', uuid: 'again', settings: {} },
      [`networkManager/activeConnections/[uuid=${active?.uuid}]/uuid`]: 'again',
    });
    const again = planRestore(none, renewed, plan.wanted) ?? [];
    t.match(again[0], { do: 'detachUplink', activate: true, profile: { uuid: copy?.uuid } });
    t.notOk(
      again.some((step) => step.do === 'deleteProfiles'),
      'the active copy is not deleted',
    );
    t.end();
  },
);
