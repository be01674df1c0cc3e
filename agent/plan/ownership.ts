import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import { type BridgeNames, profileIds } from './names.ts';

/** Refuses to touch a bridge that somebody else made: by hand, or through profiles of another tool. Fails with `bridge-foreign`. */
export function refuseForeignBridge(names: BridgeNames, observation: Observation): void {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (row === undefined) return;
  const profile = observation.networkManager.profiles.find(
    (entry) => entry.uuid === row.externalIds['NM.connection.uuid'],
  );
  if (profile !== undefined && profileIds(names).includes(profile.id)) return;
  if (profile !== undefined) {
    throw foreign(
      names,
      `it belongs to the NetworkManager profile ${profile.id}`,
      `remove it (nmcli connection delete ${profile.id})`,
    );
  }
  // A row of a profile that is gone is what a run that died, or its profile's deletion, left: planned for removal.
  if (row.externalIds['NM.connection.uuid'] !== undefined) return;
  throw foreign(names, 'it was made by hand, not by NetworkManager', `remove it (ovs-vsctl del-br ${names.bridge})`);
}

function foreign(names: BridgeNames, why: string, removal: string): AgentError {
  return new AgentError('bridge-foreign', `there is a bridge ${names.bridge} already and ${why}`, {
    hint: `${removal}, or keep it and set \`disableOVSInit: true\` in /etc/microshift/ovn.yaml`,
    facts: { bridge: names.bridge },
  });
}
