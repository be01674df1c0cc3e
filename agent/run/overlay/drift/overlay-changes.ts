import type { Config } from '../../../model/config.ts';
import { missingPortHint, missingPortText } from '../../../model/missing-port.ts';
import type { OverlayChanges } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { listenerFault, listenerHint } from '../../../overlay/listeners.ts';
import { changesOf, installedPort, ownChassis } from '../node/apply-overlay.ts';
import { sharedFlowDrift } from '../node/inbound-flows.ts';
import { directProblems } from '../node/lost-pods.ts';
import { portOf } from '../node/own-port.ts';
import { ownDevice, type PlannedNode, withPlan } from '../node/planned-node.ts';
import { withSouthbound } from '../node/southbound.ts';
import { gatewayFaults, gatewayMissing, isGatewayConnected } from '../ovn/gateway-proof.ts';
import { askController } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { overlayNotices } from './overlay-notices.ts';
import { workloadDrift } from './workload-drift.ts';

/**
 * Returns the changes that bring this node into the desired state, its faults, and its notices. Changes nothing. First
 * calls `refuse` with the plan, and throws if `refuse` throws.
 */
export async function overlayChanges(
  recorded: OverlayRecord,
  config: Pick<Config, 'overlay'>,
  places: OverlayPlaces,
  refuse: (planned: PlannedNode) => void = () => undefined,
): Promise<OverlayChanges> {
  return withPlan(recorded, places, async (planned) => {
    refuse(planned);
    const changes = changesOf(planned);
    const isAsWanted = changes.databases.every((plan) => plan.changes.length === 0);
    const { demux, faults } = await sharedFlowDrift(planned);
    const { workload, unknown } = await workloadDrift(config, planned);
    const found = isAsWanted ? [...(await faultsOf(planned)), ...faults] : [];
    const open = planned.listeners.map((one) => `${listenerFault(one)}; ${listenerHint(one)}`);
    const notices = await overlayNotices(planned, config);
    return {
      ...changes,
      demux,
      workload,
      faults: [...open, ...planned.portFaults, ...directProblems(planned), ...found, ...unknown],
      notices,
    };
  });
}

/** Returns the faults of a node whose databases are already in the desired state. */
async function faultsOf(planned: PlannedNode): Promise<string[]> {
  const { record } = planned;
  const state = await askController(planned.places);
  if (state === 'absent') return ['ovn-controller is not running: systemctl start ovn-controller'];
  if (state === 'not connected')
    return [
      `ovn-controller does not reach the southbound database at ${record.southbound.join(', ')}; running traffic goes on`,
    ];
  const faults: string[] = [...planned.refusedClaims, ...gatewayFaults(record)];
  const local = planned.local.database;
  await withSouthbound(planned, async (southbound) => {
    if (!(await southbound.appears(ownChassis(record), 0)))
      faults.push(`no chassis ${record.node.systemId} is registered`);
    const { name, subnets } = record.node;
    if (subnets.length > 0 && !(await southbound.appears(portOf(name), 0)))
      faults.push(`${missingPortText(name)}; ${missingPortHint(name)}`);
  });
  if (record.node.subnets.length > 0 && !(await local.appears(installedPort(ownDevice(record)), 0)))
    faults.push(`${ownDevice(record)} is not connected by OVN`);
  if (!(await isGatewayConnected(record, local, 0))) faults.push(gatewayMissing(record));
  return faults;
}
