// Benchmark: the time to plan for a node with a thousand profiles and five hundred devices. Run: npm run bench:plan
import type { Link, NmDevice, NmProfile, Observation } from '../../../agent/model/observation.ts';
import { planApply, planDisable } from '../../../agent/plan/make-plan.ts';
import { planText } from '../../../agent/view/plan-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { appliedCase, readCase } from './cases.ts';

const { config, observation: small } = appliedCase('dhcp');

/**
 * Returns the node with this number of additional devices that have addresses, routes and active profiles, and with the
 * same number of inactive profiles.
 */
function grown(node: Observation, count: number): Observation {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const [link] = node.links.filter((entry) => entry.name === 'eth0');
  const profile = node.networkManager.profiles.find((entry) => entry.id === 'eth0') ?? node.networkManager.profiles[0];
  if (link === undefined || profile === undefined) throw new TypeError('the case has eth0');
  const name = (index: number): string => `pod${index}`;
  const uuid = (index: number): string => `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const links = numbers.map((index): Link => {
    const [high, low] = [index >> 8, index & 255];
    const mac = `02:00:00:00:${high.toString(16).padStart(2, '0')}:${low.toString(16).padStart(2, '0')}`;
    const addresses = [{ ...empty, address: `10.${high}.${low}.1`, prefixLength: 24 }];
    return { ...link, name: name(index), index: 100 + index, mac, master: null, addresses };
  });
  const profiles = Array.from({ length: 2 * count }, (_, index): NmProfile => {
    const connection = { ...profile.settings.connection, 'interface-name': ['s', name(index)] as const };
    const settings = { ...profile.settings, connection };
    return { ...profile, path: `/profile/${index}`, uuid: uuid(index), id: `profile ${index}`, settings };
  });
  const devices = numbers.map(
    (index): NmDevice => ({
      ...device,
      path: `/d/${index}`,
      interface: name(index),
      ipInterface: name(index),
      activeConnection: `/a/${index}`,
    }),
  );
  const actives = numbers.map((index) => ({
    path: `/a/${index}`,
    id: `profile ${index}`,
    uuid: uuid(index),
    type: '802-3-ethernet',
    profile: `/profile/${index}`,
    devices: [`/d/${index}`],
    state: 2,
    stateFlags: 0x5c,
  }));
  const routes = links.map((entry) => ({
    family: 4 as const,
    destination: `${entry.addresses[0]?.address.replace(/1$/, '0')}/24`,
    gateway: null,
    device: entry.name,
    metric: 100,
  }));
  const { networkManager: nm } = node;
  return {
    ...node,
    links: [...node.links, ...links],
    routes: [...routes, ...node.routes],
    networkManager: {
      ...nm,
      devices: [...devices, ...nm.devices],
      activeConnections: [...actives, ...nm.activeConnections],
      profiles: [...profiles, ...nm.profiles],
    },
  };
}

const empty = {
  family: 4 as const,
  scope: 'global' as const,
  tentative: false,
  dadFailed: false,
  temporary: false,
  deprecated: false,
};
const device = { type: 1, state: 100, hwAddress: '', driver: '' };

/** Returns the CPU time of the fastest of several runs, so that other load on the machine does not count. */
function bestMs(work: () => unknown): number {
  const times = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

function plan(observation: Observation): void {
  const decision = planApply(config, observation, true);
  if (decision.kind !== 'planned') throw new TypeError('it does not wait');
  planText(decision.plan, observation, plain, false);
  planDisable(observation);
}

/** Prints the time that the plan of a large node takes, and its growth with the size of the node. */
function report(): void {
  const before = readCase('dhcp').observation;
  for (const [what, node] of Object.entries({ 'to be moved': before, moved: small })) {
    const ms = bestMs(() => plan(grown(node, 500)));
    process.stdout.write(`1,000 profiles and 500 devices, ${what}: ${ms.toFixed(1)} ms\n`);
  }
  const [one, four] = [grown(before, 1000), grown(before, 4000)];
  const ratios = [1, 2, 3].map(() => bestMs(() => plan(four)) / bestMs(() => plan(one)));
  process.stdout.write(`four times the node takes ${Math.min(...ratios).toFixed(1)} times as long (quadratic: 16)\n`);
}

report();
