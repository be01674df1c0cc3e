// A NIC that NetworkManager is still configuring when the run begins, as at every boot: the run waits for its lease.
import t from 'tap';
import { startDeadline } from '../../../agent/deadline.ts';
import { readRoutes } from '../../../agent/drivers/host/kernel/routes.ts';
import { AgentError } from '../../../agent/errors.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import type { Node } from '../../../agent/run/node.ts';
import { type Planner, patientWait, planWhenReady } from '../../../agent/run/plan-when-ready.ts';
import { configOf, readCase } from '../plan/cases.ts';

const ipConfig = 70;

/** Returns the node of a case while NetworkManager still configures eth0; the hint file can name eth0. */
function configuring(name: string, interfaceHint: string | null, addressMode?: number): Observation {
  const { observation } = readCase(name);
  const { networkManager } = observation;
  return {
    ...observation,
    hints: { ...observation.hints, interfaceHint },
    links: observation.links.map((link) => (link.name === 'eth0' ? { ...link, addresses: [] } : link)),
    networkManager: {
      ...networkManager,
      devices: networkManager.devices.map((device) =>
        device.interface === 'eth0' ? { ...device, state: ipConfig } : device,
      ),
      profiles: networkManager.profiles.map((profile) =>
        profile.id === 'eth0' && addressMode !== undefined
          ? {
              ...profile,
              settings: {
                ...profile.settings,
                ipv6: { ...profile.settings.ipv6, 'addr-gen-mode': ['i', addressMode] as const },
              },
            }
          : profile,
      ),
    },
  };
}

/** Returns the node of a case while NetworkManager still configures eth0, whose profile has this DHCP client-id. */
function withClientId(clientId: string): Observation {
  const observation = configuring('dhcp', 'eth0');
  const { networkManager } = observation;
  const devices = networkManager.devices.map((device) => ({ ...device, dhcp: null }));
  const profiles = networkManager.profiles.map((profile) => {
    const ipv4 = { ...profile.settings.ipv4, 'dhcp-client-id': ['s', clientId] as const };
    return profile.id === 'eth0' ? { ...profile, settings: { ...profile.settings, ipv4 } } : profile;
  });
  return { ...observation, networkManager: { ...networkManager, devices, profiles } };
}

/**
 * Returns the messages of a run while it prepares; NetworkManager reports the device as configured when it is queried.
 */
async function said(observation: Observation): Promise<readonly string[]> {
  const lines: string[] = [];
  const nm = { onSignal: () => () => undefined, property: async () => 100 };
  const node = { nm, observe: async () => observation } as unknown as Node;
  const deadline = startDeadline(10_000);
  const planner: Planner = (facts, over) => planApply(configOf(null), facts, over.route);
  await planWhenReady(node, planner, patientWait, (line) => lines.push(line), deadline);
  deadline.clear();
  return lines;
}

const waits = /waiting up to 40 s for eth0 to be configured/;
const stablePrivacy = 1;

t.strictSame(await said(configuring('dhcp', 'eth0')), [], 'a hint and DHCP: the bridge asks for the lease');
t.match(await said(withClientId('stable')), [waits], 'a client id that follows from the profile is awaited');
t.strictSame(await said(withClientId('mac')), [], 'a client id that follows from the MAC needs no wait');
t.match(await said(configuring('dhcp', null)), [waits], 'without a hint, the NIC is awaited');
t.match(await said(configuring('dhcp', 'eth1')), [waits], 'with a hint to another NIC, the NIC is awaited');
t.match(
  await said(configuring('static4', 'eth0')),
  [waits],
  'fixed addresses are awaited, because they are configured soon and can be handed over',
);
t.strictSame(
  await said(configuring('slaac', 'eth0')),
  [],
  'an EUI-64 address needs no wait, because it follows from the MAC',
);
t.match(await said(configuring('slaac', 'eth0', stablePrivacy)), [waits], 'a stable-privacy address is awaited');

// A configured NIC that does not exist when the node boots: the run waits for the NIC, then for a default route.
const none: Observation = { ...readCase('choice-late-extra').observation, routes: [] };
const asked: { nic: boolean; route: boolean }[] = [];
const lines: string[] = [];
const node = { observe: async () => none } as unknown as Node;
const deadline = startDeadline(10_000);
const planner: Planner = (facts, over) => {
  asked.push(over);
  if (over.nic && !over.route) return { kind: 'waiting', interface: null, isExpected: true };
  return planApply(configOf(null), facts, over.route, { nicWaitOver: over.nic });
};
const short = { ...patientWait, routeMs: 50 };
await t.rejects(
  planWhenReady(node, planner, short, (line) => lines.push(line), deadline),
  { kind: 'no-uplink', message: /extra_bridge names the interface "eth7", which has not come/ },
  'a missing NIC is the error no-uplink, after which systemd starts the unit again',
);
deadline.clear();
const hasDefault = readRoutes().some(({ destination }) => /^(0\.0\.0\.0|::)\/0$/.test(destination));
t.match(
  lines,
  [/^waiting up to 0.05 s for eth7$/, ...(hasDefault ? [] : [/for a default route$/])],
  'the run waits for the NIC, and then for a default route that this machine does not have',
);
t.equal(lines.length, hasDefault ? 1 : 2, 'a wait for what is already there is not announced');
t.strictSame(
  asked,
  [
    { nic: false, route: false },
    { nic: true, route: false },
    { nic: true, route: true },
  ],
  'each wait is requested once',
);

// An unexpected event is awaited for a shorter time.
for (const [isExpected, announced] of [
  [true, /^waiting up to 40 s for eth7$/],
  [false, /^waiting up to 5 s for eth7$/],
] as const) {
  const limit = startDeadline(10_000);
  const messages: string[] = [];
  const waiting: Planner = () => ({ kind: 'waiting', interface: 'eth7', isExpected });
  const running = planWhenReady(node, waiting, patientWait, (line) => messages.push(line), limit);
  limit.interrupt(new AgentError('interrupted', 'the run was stopped'));
  await t.rejects(running, { kind: 'interrupted', message: 'the run was stopped' }, 'the wait ends with the run');
  limit.clear();
  t.match(messages, [announced]);
}
