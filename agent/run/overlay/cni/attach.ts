import {
  type Attachment,
  interfaceIds,
  type LargePackets,
  linkAlias,
  linkOf,
  nodeLines,
  podLines,
  podMtuOf,
} from '../../../cni/attachment.ts';
import { carriedFault } from '../../../cni/carried-addresses-fault.ts';
import { checkFaults, isInstalled } from '../../../cni/check.ts';
import type { CniPod, CniRequest } from '../../../cni/cni-request.ts';
import { CniError, cniCode } from '../../../cni/error.ts';
import { successResult } from '../../../cni/result.ts';
import { monotonicMs, waitFor } from '../../../deadline.ts';
import { hasLink, linksWithAlias } from '../../../drivers/host/kernel/aliased-links.ts';
import { ipBatch } from '../../../drivers/host/kernel/ip-batch.ts';
import type { PodPorts } from '../../../drivers/openvswitch/pod-ports.ts';
import type { PortAddresses } from '../../../drivers/ovn/port-addresses.ts';
import { failedThen } from '../../../failures.ts';
import { kubeletUid } from '../../../workload/pods/static-pods.ts';
import type { NodePods } from './node-pods.ts';

/**
 * Time limit for a pod to get addresses. The central node assigns them within tens of milliseconds. The kubelet waits
 * two minutes for a sandbox, so after 30 s another attempt is still possible.
 */
const addressedMs = 30_000;
/**
 * Time limit for ovn-controller to install the flows of a pod. ovn-northd and ovn-controller take tens of milliseconds;
 * 30 s allow for hundreds of pods that start at once.
 */
const installedMs = 30_000;

/** Connections and settings that the CNI verbs use. */
export interface CniSurroundings {
  readonly pods: NodePods;
  readonly ports: PodPorts;
  readonly carried: PortAddresses;
  readonly mtu: number;
  /**
   * Ranges to which pods send packets that are too large for tunnels, and the MTU of tunnels. Absent if the cluster
   * uses tunnels.
   */
  readonly large?: LargePackets;
  readonly say: (line: string) => void;
}

/** Answer to the CNI plug-in, one line each: commands that the plug-in has to run, or text that it has to print. */
export type Answer = readonly string[];

/**
 * Does the first half of ADD: returns the commands with which the plug-in creates the veth pair of the pod. Changes
 * nothing.
 */
export async function prepare(request: CniRequest, around: CniSurroundings, gone: AbortSignal): Promise<Answer> {
  const { say, ports } = around;
  const { containerId, ifname, netns, pod } = request;
  const name = requirePod(pod);
  say(`${name}: ADD of ${ifname} in ${netns} for ${containerId}`);
  if (ports.datapath() === null) throw new CniError(cniCode.tryAgainLater, 'the bridge br-int does not exist yet');
  if (hasLink(linkOf(containerId))) {
    throw new CniError(
      cniCode.refused,
      `the node has an interface ${linkOf(containerId)} already`,
      'DEL of the container removes it',
    );
  }
  const attachment = await attachmentOf(request, around, gone);
  const { addresses, mac, gateways } = attachment.network;
  say(`${name}: has ${addresses.join(' and ')}, MAC ${mac}, gateway ${gateways.join(' and ')}`);
  say(`${name}: veth pair ${attachment.link}, its other end ${ifname} in ${netns}`);
  return nodeLines(attachment);
}

/**
 * Does the second half of ADD: adds the port to br-int, waits for its flows, and compares the pod's addresses with
 * those in OVN. Returns the CNI result, the data path type, and the commands for the pod's network namespace. Removes
 * the port after a failure, or if the container runtime stops waiting.
 */
export async function plug(request: CniRequest, around: CniSurroundings, gone: AbortSignal): Promise<Answer> {
  const { ports, say } = around;
  const name = requirePod(request.pod);
  const attachment = await attachmentOf(request, around, gone);
  const { link, ifname, network, mtu, logicalPort } = attachment;
  const beganMs = monotonicMs();
  try {
    say(`${name}: port ${link} of br-int for ${logicalPort}`);
    await ports.add({ name: link, externalIds: interfaceIds(attachment) });
    await installed(attachment, ports, gone);
    // The addresses are read after ovn-controller has claimed the pod's Port_Binding row. Before that, they could be
    // the addresses of an earlier pod.
    requireCarried(attachment, await around.carried.read(logicalPort));
  } catch (error) {
    throw await failedThen(error, async () => {
      await ports.remove([link]).catch(() => undefined);
      // The veth is removed here only if the CNI plug-in has ended; a running plug-in removes the veth itself.
      if (gone.aborted) await ipBatch([`link delete dev ${link}`]);
    });
  }
  const tookMs = Math.round(monotonicMs() - beganMs);
  say(
    `${name}: ${ifname} with ${network.mac}, MTU ${mtu}, ${network.addresses.join(' and ')}; flows after ${tookMs} ms`,
  );
  say(`${name}: gateway ${network.gateways.join(' and ')}`);
  const result = successResult(request.config.version, attachment, request.config.dns);
  say(`${name}: ${result}`);
  return [result, ports.datapath() ?? 'system', ...podLines(attachment)];
}

/** Removes from br-int the ports of a container; succeeds if it has none. The CNI plug-in removes the veth. */
export async function unplug({ containerId, pod }: CniRequest, { ports, say }: CniSurroundings): Promise<Answer> {
  const own = ports.list().filter(({ externalIds }) => externalIds.sandbox === containerId);
  if (own.length > 0) {
    await ports.remove(own.map(({ name }) => name));
    const name = pod === null ? (own[0]?.externalIds['iface-id'] ?? '') : requirePod(pod);
    say(`${name}: DEL of ${containerId}, ${own.map((port) => port.name).join(', ')} removed`);
  }
  return [];
}

/**
 * Returns an empty answer if a pod's interface is as ADD created it. Otherwise throws CniError 100, which lists every
 * difference.
 */
export async function check(request: CniRequest, around: CniSurroundings, gone: AbortSignal): Promise<Answer> {
  const wanted = await attachmentOf(request, around, gone);
  const port = around.ports.find(wanted.link);
  const attachment = port === null ? wanted : asMade(wanted, port.externalIds);
  const faults = checkFaults(attachment, port, request.observed, request.config.prevResult);
  if (faults.length === 0) return [];
  throw new CniError(cniCode.notAsWanted, `${requirePod(request.pod)}: ${faults[0]}`, faults.join('; '));
}

/**
 * Removes the ports and links of containers that no longer exist. Keeps those of the containers in `busy`, for which a
 * verb is in progress.
 */
export async function collect(
  { config }: CniRequest,
  { ports, say }: CniSurroundings,
  busy: ReadonlySet<string>,
): Promise<Answer> {
  const valid = [...config.validContainers, ...busy];
  const left = ports.list().filter(({ externalIds }) => !valid.includes(externalIds.sandbox ?? ''));
  const kept = new Set(valid.map(linkOf));
  const links = linksWithAlias(linkAlias).filter((name) => !kept.has(name));
  const names = [...new Set([...left.map(({ name }) => name), ...links])];
  if (names.length === 0) return [];
  say(`GC: ${names.join(', ')} removed, of containers that are not there any more`);
  await ports.remove(left.map(({ name }) => name));
  await ipBatch(links.map((name) => `link delete dev ${name}`));
  return [];
}

/**
 * Returns the desired interface of a pod with the MTU that ADD gave the interface, because the cluster's MTU may have
 * changed since.
 */
function asMade({ large, ...wanted }: Attachment, externalIds: Readonly<Record<string, string>>): Attachment {
  const mtu = podMtuOf(externalIds, large?.tunnelMtu ?? wanted.mtu);
  return { ...wanted, mtu };
}

async function attachmentOf(
  { pod, containerId, netns, ifname }: CniRequest,
  { pods, mtu, large }: CniSurroundings,
  gone: AbortSignal,
): Promise<Attachment> {
  if (pod === null) {
    const message = 'K8S_POD_NAMESPACE and K8S_POD_NAME are not in CNI_ARGS';
    throw new CniError(cniCode.badEnvironment, message, 'only pods have addresses here');
  }
  const { network, ...addressed } = await pods.addressed(pod, addressedMs, gone);
  const { namespace, name } = addressed;
  const link = linkOf(containerId);
  return {
    containerId,
    netns,
    ifname,
    link,
    logicalPort: `${namespace}_${name}`,
    uid: kubeletUid(addressed),
    network,
    mtu,
    ...(large !== undefined && { large }),
  };
}

/**
 * Waits until ovn-controller reports in the Interface row that the flows of the port are installed. Throws CniError 11
 * at the time limit, or if another program removes the port, and CniError 101 if Open vSwitch cannot use the port.
 */
function installed({ link, logicalPort }: Attachment, ports: PodPorts, gone: AbortSignal): Promise<void> {
  const late = (): CniError =>
    new CniError(
      cniCode.tryAgainLater,
      `OVN has not connected ${logicalPort} within ${installedMs / 1000} s`,
      'look at /var/log/ovn/ovn-controller.log, and at `microshift-net overlay verify` on the central node',
    );
  return waitFor<void>({ signal: gone }, installedMs, late, (resolve, reject) => {
    const look = (): void => {
      const port = ports.find(link);
      if (port === null) reject(new CniError(cniCode.tryAgainLater, `another program has removed port ${link}`));
      else if (port.error !== null)
        reject(new CniError(cniCode.refused, `Open vSwitch cannot use ${link}: ${port.error}`));
      else if (isInstalled(port)) resolve();
    };
    const stop = ports.onChange(look);
    look();
    return stop;
  });
}

/**
 * Throws CniError 11 if the addresses in OVN differ from those in the pod's annotation. The central node writes both,
 * so a difference shows that another program has changed the annotation.
 */
function requireCarried({ logicalPort, network }: Attachment, rows: readonly string[] | null): void {
  const fault = carriedFault(network, rows);
  if (fault === null) return;
  throw new CniError(
    cniCode.tryAgainLater,
    `${logicalPort}: ${fault}`,
    'the central node writes the annotation again; find the other program that changes annotations of pods: docs/use/overlay-trust.md',
  );
}

function requirePod(pod: CniPod | null): string {
  return pod === null ? 'a container' : `${pod.namespace}/${pod.name}`;
}
