import type { Step, StepArguments } from './plan.ts';

/** Returns a short description of a step. */
export function stepTitle(step: Step | 'prove' | 'commit'): string {
  if (step === 'prove') return 'prove that the node is reachable';
  if (step === 'commit') return 'commit';
  const ids = (profiles: readonly { readonly id: string }[]): string =>
    profiles.map((profile) => profile.id).join(', ');
  switch (step.do) {
    case 'writeProfiles':
      return `write the ${step.profiles.length === 1 ? 'profile' : 'profiles'} ${ids(step.profiles)}`;
    case 'deleteProfiles':
      return deletionTitle(step);
    case 'activate':
      return `activate ${step.profiles.map((entry) => (entry.interface === null ? entry.id : `${entry.id} on ${entry.interface}`)).join(', ')}`;
    case 'changeKernel':
      return kernelTitle(step);
    case 'signpost':
      return step.wanted === 'present' ? 'add the signpost, by which MicroShift finds lo' : 'remove the signpost';
    case 'claimBridge':
      return `let NetworkManager manage ${step.bridge} as it is`;
    case 'attachUplink':
      return `attach ${step.interface} to ${step.bridge}`;
    case 'clearUplink':
      return `remove the IP settings from ${step.interface}`;
    case 'detachUplink':
      return `restore the settings of ${step.interface} and detach it from ${step.bridge}`;
    case 'releaseRoutes':
      return `return the routes of ${step.interface} to NetworkManager`;
    case 'reapply':
      return `reapply ${step.id}`;
    case 'waitDynamic':
      return `wait for the ${[...(step.lease ? ['DHCP lease'] : []), ...(step.ipv6DefaultMetric === null ? [] : ['router advertisement'])].join(' and ')} on ${step.interface}${step.heldMetric === null ? '' : ', then remove the temporary routes'}`;
    case 'waitAddresses':
      return `wait until ${step.interface} has ${step.addresses.join(', ')}`;
  }
}

function deletionTitle({ profiles, bridges, left = [] }: StepArguments['deleteProfiles']): string {
  const gone = [
    ...(profiles.length === 0 ? [] : [`the profiles ${profiles.map(({ id }) => id).join(', ')}`]),
    ...bridges.map((bridge) => `the bridge ${bridge}`),
  ];
  const released = left.map(({ bridge }) => `release ${bridge}`);
  return [...(gone.length === 0 ? [] : [`delete ${gone.join(' and ')}`]), ...released].join(', ');
}

function kernelTitle({ entries, removed = [], from, required }: StepArguments['changeKernel']): string {
  const { interface: name, routes, neighbours } = entries;
  const addresses = entries.addresses.map(({ address }) => address).join(', ');
  if (from !== undefined) return `move the entries of other programs from ${from} to ${name}`;
  if (required) return `add ${addresses} to ${name}`;
  const more = routes.length + neighbours.length === 0 ? '' : ' with their routes and neighbours';
  return [
    ...(addresses === '' && removed.length > 0
      ? []
      : [`add ${addresses || routesOf(entries)}${addresses === '' ? '' : more} to ${name}`]),
    ...(removed.length === 0 ? [] : [`remove ${removed.join(', ')} from ${name}`]),
  ].join(', ');
}

function routesOf({ routes, rules = [] }: StepArguments['changeKernel']['entries']): string {
  const all = [...routes.map(({ destination }) => destination), ...rules.map(({ words }) => `rule ${words[1]}`)];
  return all.length === 0 ? 'the neighbours' : all.join(', ');
}
