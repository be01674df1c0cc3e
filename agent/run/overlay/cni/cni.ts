import type { LargePackets } from '../../../cni/attachment.ts';
import { isInstalled } from '../../../cni/check.ts';
import { hasLink } from '../../../drivers/host/kernel/aliased-links.ts';
import { listenForCommands } from '../../../drivers/host/process/control-socket.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { openPodPorts, type PodPorts } from '../../../drivers/openvswitch/pod-ports.ts';
import { createPortAddresses } from '../../../drivers/ovn/port-addresses.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { withoutLength } from '../../../overlay/addresses.ts';
import { managementAddresses } from '../../../overlay/cluster/node-rows.ts';
import { createWriting } from '../loop/writing.ts';
import { ownDevice } from '../node/planned-node.ts';
import { southboundRemote } from '../node/southbound.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { writeConflist } from './conflist.ts';
import { followNodePods } from './node-pods.ts';
import { createVerbs } from './verbs.ts';

/**
 * Time limit for the database of Open vSwitch to answer. A running ovsdb-server answers in milliseconds; 30 s allow for
 * one that is just starting.
 */
const portsMs = 30_000;

/**
 * Serves requests of the CNI plug-in at a socket, until the returned function is called. Writes the conflist as soon as
 * pods can start. `podMtuBytes` is the MTU of the pods' interfaces. Fails if Open vSwitch does not answer, or if the
 * socket cannot be created.
 */
export async function startCni(
  record: OverlayRecord,
  podMtuBytes: number,
  places: OverlayPlaces,
  api: Pick<KubernetesApi, 'follow'>,
  say: (line: string) => void,
): Promise<() => void> {
  const { layout, node } = record;
  const ports = await openPodPorts(places.ovsRun, portsMs);
  try {
    await removeDeviceless(ports, say);
  } catch (error) {
    ports.close();
    throw error;
  }
  const pods = followNodePods(api, node.name, say);
  const carried = createPortAddresses(() => southboundRemote(record, places));
  const conflist = createWriting(() => writeConflist(places.cniConfig, say), {
    failed: ({ message }) => say(`warning: no pod can start on this node: ${message}`),
    recovered: () => undefined,
  });
  const close = (): void => {
    conflist.close();
    pods.close();
    carried.close();
    ports.close();
  };
  const device = ownDevice({ layout, node });
  const notifyWhenReady = (): void => {
    const own = ports.find(device);
    if (!pods.isKnown || own === null || !isInstalled(own)) return;
    stopListening();
    conflist.ask();
  };
  const stops = [ports.onChange(notifyWhenReady), pods.onKnown(notifyWhenReady)];
  const stopListening = (): void => stops.forEach((stop) => void stop());
  try {
    const large: LargePackets = {
      tunnelMtu: layout.mtu,
      subnets: [...layout.clusterSubnets, ...layout.serviceSubnets],
      node: managementAddresses(node).map(withoutLength),
    };
    const isLarge = podMtuBytes > layout.mtu;
    const verbs = createVerbs(places, { pods, ports, carried, mtu: podMtuBytes, ...(isLarge && { large }), say });
    const stopServer = await listenForCommands(places.cniSocket, verbs);
    return () => {
      stopListening();
      stopServer();
      close();
    };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Removes those ports of pods that have no network device. After a boot, no port of an earlier pod has one. Such a port
 * would be in conflict with a later pod that gets the same port name.
 */
async function removeDeviceless(ports: PodPorts, say: (line: string) => void): Promise<void> {
  const gone = ports.list().filter(({ name }) => !hasLink(name));
  if (gone.length === 0) return;
  say(`${gone.length} stale ports of pods removed`);
  await ports.remove(gone.map(({ name }) => name));
}
