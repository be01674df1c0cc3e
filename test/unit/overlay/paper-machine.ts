// Simulated machine for the commands of ovn-kubernetes' first tool: its Open vSwitch, and the kernel's links and
// addresses.
import type { HostFacts } from '../../../agent/facts/overlay-host.ts';
import type { Link } from '../../../agent/model/observation.ts';
import type { NicFacts } from '../../../agent/overlay/gateway/own-nic.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { macsForNode, type PlannedInit, planInit } from '../../../agent/run/overlay/ovn-k8s/planned-init.ts';
import { linkOf } from '../link.ts';
import type { ModelDatabase } from './model-database.ts';
import { emptyVswitch } from './vswitch.ts';

/** A machine with eth1, and a bridge that has eth1's address. */
export interface Machine {
  readonly name: string;
  readonly vswitch: ModelDatabase;
  readonly host: HostFacts & NicFacts;
}

export function link(name: string, mac: string, addresses: readonly string[], special: Partial<Link> = {}): Link {
  return linkOf(name, addresses, { mac, ...special });
}

export function machine(place: number, settings: Readonly<Record<string, string>> = {}): Machine {
  const vswitch = emptyVswitch();
  const name = `kube-node${place}`;
  const ids = {
    'ovn-remote': 'tcp:192.0.2.11:6642',
    'ovn-nb': 'tcp:192.0.2.11:6641',
    'ovn-encap-ip': `192.0.2.${10 + place}`,
    'ovn-encap-type': 'geneve',
    'system-id': `id-of-${place}`,
    ...settings,
  };
  vswitch.transact([
    {
      op: 'mutate',
      table: 'Open_vSwitch',
      where: [],
      mutations: [['external_ids', 'insert', ['map', Object.entries(ids)]]],
    },
  ]);
  const links = [
    link('br-ex', `52:54:00:00:00:0${place}`, [`192.0.2.${10 + place}/24`]),
    link('eth1', `52:54:00:00:01:0${place}`, ['198.51.100.1/24']),
  ];
  const route = { family: 4, destination: '0.0.0.0/0', gateway: '192.0.2.1', device: 'br-ex', metric: 0 } as const;
  return { name, vswitch, host: { hostname: name, links, routes: [route], sshPeer: null, leased: [] } };
}

export function planned(
  northbound: Pick<ModelDatabase, 'rows'>,
  { vswitch, host }: Machine,
  request: Parameters<typeof planInit>[0]['request'],
) {
  return planInit({
    request,
    host,
    systemId: null,
    local: vswitch.rows(),
    northbound: northbound.rows(),
    randomMacs: Array.from({ length: macsForNode }, (_, index) => `00:00:00:aa:bb:${10 + index}`),
    places: { datapathType: null },
  });
}

export function run(
  northbound: ModelDatabase,
  on: Machine,
  request: Parameters<typeof planInit>[0]['request'],
): PlannedInit {
  const plan = planned(northbound, on, request);
  northbound.transact(operationsOf(plan.northbound, northbound.rows().shape));
  on.vswitch.transact(operationsOf(plan.local, on.vswitch.rows().shape));
  return plan;
}
