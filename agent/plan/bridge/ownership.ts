import { AgentError } from '../../errors.ts';
import type { Observation, OvsBridge } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { shellWord } from '../../printable.ts';
import { type BridgeNames, everyProfileId, noUplinkMac, ownerKeys, ownerOf } from '../names.ts';
import { uplinkInBridge } from '../uplink/uplink-in-bridge.ts';

/** Refuses to touch a bridge that somebody else made: by hand, or through profiles of another tool. Fails with `bridge-foreign`. */
export function refuseForeignBridge(names: BridgeNames, observation: Observation): void {
  const found = foreignBridge(names, observation);
  if (found === null) return;
  throw new AgentError('bridge-foreign', `there is a bridge ${names.bridge} already and ${found.why}`, {
    hint: `${found.removal}, or keep it and set \`disableOVSInit: true\` in /etc/microshift/ovn.yaml`,
    facts: { bridge: names.bridge },
  });
}

/** Says that a bridge of somebody else, which nothing asks for, is left alone. */
export function foreignBridgeNotes(names: BridgeNames, observation: Observation): readonly PlanNote[] {
  const found = foreignBridge(names, observation);
  if (found === null) return [];
  return [{ level: 'warning', message: `there is a bridge ${names.bridge} and ${found.why}; it is left alone` }];
}

/** Says which ports that others put into a bridge of ours go with it. */
export function foreignPortNotes(names: BridgeNames, observation: Observation): readonly PlanNote[] {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (row === undefined || foreignBridge(names, observation) !== null) return [];
  const foreign = row.ports.filter(
    (port) =>
      port.externalIds[ownerKeys.networkManager] === undefined && port.name !== uplinkInBridge(names, observation),
  );
  if (foreign.length === 0) return [];
  const ports = foreign.map((port) => port.name).join(', ');
  const pods = foreign.some((port) => port.interfaces.some((entry) => entry.type === 'patch'))
    ? `; pods of ovn-kubernetes have no way out until there is a ${names.bridge} again`
    : '';
  return [{ level: 'warning', message: `ports that others put into ${names.bridge} go with it: ${ports}${pods}` }];
}

/** Why a bridge is somebody else's, and how to remove it. */
function foreignBridge(names: BridgeNames, observation: Observation): { why: string; removal: string } | null {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (row === undefined) return null;
  const owner = ownerOf(row);
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === owner);
  if (profile !== undefined) {
    if (everyProfileId(names).includes(profile.id)) return null;
    // nmstate names the profile of an OVS bridge so (its NetworkManager back end); it leaves no other mark.
    if (profile.id === `${names.bridge}-br`) {
      const why = `nmstate made it (NetworkManager profile ${profile.id})`;
      return { why, removal: 'take it out of the nmstate configuration (state: absent)' };
    }
    const why = `it belongs to the NetworkManager profile ${profile.id}`;
    return { why, removal: `remove it (nmcli connection delete ${shellWord(profile.id)})` };
  }
  // A row of a profile that is gone is what a run that died, or its profile's deletion, left: planned for removal.
  if (owner !== undefined) return null;
  if (isOfMicroShift(row)) {
    const why = "MicroShift's configure-ovs.sh made it, without a NIC";
    const removal = `remove it while MicroShift does not need it (systemctl stop microshift; ovs-vsctl del-br ${names.bridge}; systemctl start microshift-ovs-init microshift)`;
    return { why, removal };
  }
  const why = 'it was made by hand, not by NetworkManager';
  return { why, removal: `remove it (ovs-vsctl del-br ${names.bridge})` };
}

/** The marks that configure-ovs.sh of MicroShift 4.14 and later gives its bridge (openshift/microshift, packaging/systemd/configure-ovs.sh). */
function isOfMicroShift({ name, externalIds, otherConfig }: OvsBridge): boolean {
  return externalIds['bridge-id'] === name && otherConfig.hwaddr?.toUpperCase() === noUplinkMac;
}
