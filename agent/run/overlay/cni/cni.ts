import { isInstalled } from '../../../cni/check.ts';
import { hasLink } from '../../../drivers/host/aliased-links.ts';
import { listenForCommands } from '../../../drivers/host/control-socket.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { openPodPorts, type PodPorts } from '../../../drivers/openvswitch/pod-ports.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { createWriting } from '../daemon/writing.ts';
import type { OverlayPlaces } from '../places.ts';
import { ownDevice } from '../planned.ts';
import { writeConflist } from './conflist.ts';
import { followNodePods } from './node-pods.ts';
import { createVerbs } from './verbs.ts';

/** The database of Open vSwitch answers at once where the node has its part in the cluster; 30 s are for one that is just starting. */
const portsMs = 30_000;

/**
 * Gives pods of this node their interfaces, as container runtimes ask for them at the socket, until the function that it resolves with is called. As
 * soon as pods can start, the runtimes are told so. Fails where Open vSwitch does not answer, or the socket cannot be made.
 */
export async function startCni(
  { layout, node }: OverlayRecord,
  places: OverlayPlaces,
  api: Pick<KubernetesApi, 'follow'>,
  say: (line: string) => void,
): Promise<() => void> {
  const ports = await openPodPorts(places.ovsRun, portsMs);
  try {
    await removeDeviceless(ports, say);
  } catch (error) {
    ports.close();
    throw error;
  }
  const pods = followNodePods(api, node.name, say);
  const conflist = createWriting(() => writeConflist(places.cniConfig, say), {
    failed: ({ message }) => say(`warning: no pod can start on this node: ${message}`),
    recovered: () => undefined,
  });
  const close = (): void => {
    conflist.close();
    pods.close();
    ports.close();
  };
  const device = ownDevice({ layout, node });
  const tellWhenReady = (): void => {
    const own = ports.find(device);
    if (!pods.isKnown || own === null || !isInstalled(own)) return;
    stopListening();
    conflist.ask();
  };
  const stops = [ports.onChange(tellWhenReady), pods.onKnown(tellWhenReady)];
  const stopListening = (): void => stops.forEach((stop) => void stop());
  try {
    const verbs = createVerbs(places, { pods, ports, mtu: layout.mtu, say });
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

/** What was there before a boot has no device any more, and would keep the pod's next port from being the only one of its name. */
async function removeDeviceless(ports: PodPorts, say: (line: string) => void): Promise<void> {
  const gone = ports.list().filter(({ name }) => !hasLink(name));
  if (gone.length === 0) return;
  say(`${gone.length} ports of pods that are not there any more removed`);
  await ports.remove(gone.map(({ name }) => name));
}
