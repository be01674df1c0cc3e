import type { FixedRange, OverlayNode } from '../../model/overlay.ts';
import type { NamespacedName, Pod, PodAddresses } from '../../model/workload.ts';
import { canonicalAddress } from '../../net/address.ts';
import { withoutLength } from '../../overlay/addresses.ts';
import { givesAddresses } from '../cluster-nodes.ts';
import {
  type AddressFault,
  addressReplaced,
  addressTaken,
  nameReserved,
  noneFree,
  notInOverlay,
  notUsable,
  requestRefusal,
} from './address-faults.ts';
import { annotatedNetwork, requestedAddresses } from './annotations.ts';
import { portName } from './port-name.ts';
import { createReservedAddresses } from './reserved-addresses.ts';
import { kubeletUid } from './static-pods.ts';
import { isSame, lastWithOwnMac, type PodSubnets, podSubnets, usableOf } from './subnets.ts';

/**
 * Assignment of addresses to pods, which depends only on the batches of changes: the same batches result in the same
 * addresses.
 */
export interface AddressBook {
  /** Addresses of all pods that have addresses. The map stays the same object, and each batch changes its content. */
  readonly addresses: PodAddresses;
  /** Assigns addresses to the pods of a batch of changes, and to pods that got no addresses in earlier batches. */
  settle(batch: AddressBatch): AddressOutcome;
}

export interface AddressBatch {
  /** All present members of the overlay. */
  readonly nodes: readonly OverlayNode[];
  /**
   * New and changed pods; all pods after the API server has listed them. A pod with another uid replaces the earlier
   * pod of its name.
   */
  readonly pods: Iterable<Pod>;
  /** Addresses of overlay ports, which no pod gets. Absent if they are those of the previous batch. */
  readonly ports?: PortAddresses;
  /** Names of nodes' ports, which no pod's port may have. Absent if the names are those of the previous batch. */
  readonly reserved?: ReadonlySet<string>;
  /**
   * Namespaces whose pods may request addresses, each with its permitted range. If the list is empty, all pods may
   * request any address.
   */
  readonly fixedRanges?: readonly FixedRange[];
  /** Keys of deleted pods. */
  readonly gone: Iterable<NamespacedName>;
  /**
   * Returns the addresses of this pod's row in OVN_Northbound, without prefix length; empty if it has no row. `uid` is
   * the uid that the kubelet uses. Called only for pods that have no address yet.
   */
  addressesOfRow(pod: NamespacedName, uid: string): readonly string[];
}

export interface AddressOutcome {
  /** Pods whose addresses differ from those before the batch, including pods that got or lost all of them. */
  readonly changed: readonly NamespacedName[];
  /**
   * Pods that did not get the addresses that they need, or that cannot keep the addresses with which they run. A fault
   * is reported once until it changes.
   */
  readonly faults: readonly AddressFault[];
}

/** Addresses of each overlay port by its key, without prefix length, and the node of the port. */
export type PortAddresses = ReadonlyMap<
  NamespacedName,
  { readonly node: string; readonly addresses: readonly string[] }
>;

/** Pod that needs addresses of its node. */
interface Seeker {
  readonly key: NamespacedName;
  readonly pod: Pod;
  readonly node: string;
  readonly subnets: PodSubnets;
  /** Addresses that the pod had before this batch. */
  readonly had: readonly string[];
}

/** Returns an empty assignment; its first batch has to contain all pods. */
export function createAddressBook(): AddressBook {
  const held = createReservedAddresses();
  const pods = new Map<NamespacedName, Pod>();
  /**
   * Uid and node of each pod that has or had an address. A deleted pod stays only if it is a mirror pod, which the
   * kubelet creates again.
   */
  const holders = new Map<NamespacedName, string>();
  /**
   * Addresses of static pods whose mirror pod was deleted. Such a pod keeps running, and the kubelet creates another
   * mirror pod for it.
   */
  const left = new Map<NamespacedName, readonly string[]>();
  /** Last reported fault of each pod that needs addresses and has none. */
  const refused = new Map<NamespacedName, string>();
  let subnetsOf: ReadonlyMap<string, PodSubnets> = new Map();
  let reserved: ReadonlySet<string> = new Set();
  let ports: PortAddresses = new Map();

  const seekerOf = (key: NamespacedName): Seeker | null => {
    const pod = pods.get(key);
    const subnets = subnetsOf.get(pod?.nodeName ?? '');
    if (pod === undefined || subnets === undefined || !isServed(pod) || reserved.has(portName(key))) return null;
    return { key, pod, node: pod.nodeName ?? '', subnets, had: [] };
  };
  /**
   * Returns the fault of a pod whose node cannot provide addresses, or whose port name is reserved; null if neither is
   * the case.
   */
  const nodeFault = (key: NamespacedName): AddressFault | null => {
    const pod = pods.get(key);
    if (pod !== undefined && isServed(pod) && reserved.has(portName(key))) return nameReserved(pod);
    return pod === undefined || !isServed(pod) || subnetsOf.has(pod.nodeName ?? '') ? null : notInOverlay(pod);
  };
  const isHolder = ({ key, pod, node }: Seeker): boolean => holders.get(key) === holderText(pod, node);
  const hasItsOwn = (seeker: Seeker): boolean => {
    const lengths = seeker.subnets.ranges.map(({ prefixLength }) => prefixLength);
    const addresses = held.addresses.get(seeker.key) ?? [];
    const areWhole = String(addresses.map((address) => address.replace(/.*\//, ''))) === String(lengths);
    return areWhole && isHolder(seeker) && usableOf(seeker.subnets, addresses).length === lengths.length;
  };
  /** Assigns these addresses to a pod; returns false and assigns none if one of them is not available. */
  const take = ({ key, pod, node, subnets }: Seeker, addresses: readonly string[]): boolean => {
    if (!held.take(key, subnets, addresses)) return false;
    holders.set(key, holderText(pod, node));
    left.delete(key);
    refused.delete(key);
    return true;
  };
  /** Updates the subnets of the nodes, and returns the pods of the nodes whose subnets have changed. */
  const moveTo = (nodes: readonly OverlayNode[]): readonly NamespacedName[] => {
    const now = new Map(nodes.filter(givesAddresses).map((node) => [node.name, podSubnets(node)]));
    const names = new Set([...subnetsOf.keys(), ...now.keys()]);
    const moved = [...names].filter((name) => !isSame(subnetsOf.get(name), now.get(name)));
    subnetsOf = now;
    if (moved.length === 0) return [];
    return [...pods].flatMap(([key, { nodeName }]) => (moved.includes(nodeName ?? '') ? [key] : []));
  };

  /** Updates the addresses of overlay ports, and returns the pods that have lost their addresses to a port. */
  const hold = (now: PortAddresses): readonly NamespacedName[] => {
    for (const key of ports.keys()) if (!now.has(key)) held.release(key);
    ports = now;
    return [...now].flatMap(([key, { node, addresses }]) => {
      const subnets = subnetsOf.get(node);
      return subnets === undefined ? [] : held.hold(key, subnets, addresses);
    });
  };

  /** Updates the reserved names, and returns the pods whose port name became reserved or free. */
  const reserve = (names: ReadonlySet<string>): readonly NamespacedName[] => {
    const changed = new Set([...names, ...reserved].filter((name) => names.has(name) !== reserved.has(name)));
    reserved = names;
    return changed.size === 0 ? [] : [...pods.keys()].filter((key) => changed.has(portName(key)));
  };

  return {
    addresses: held.addresses,
    settle: ({
      nodes,
      pods: reported,
      gone,
      addressesOfRow,
      reserved: names = reserved,
      ports: now = ports,
      fixedRanges = [],
    }) => {
      const looked = new Set<NamespacedName>(gone);
      for (const key of looked) {
        const pod = pods.get(key);
        if (pod?.mirrorOf !== undefined) left.set(key, held.addresses.get(key) ?? []);
        else if (pod !== undefined) holders.delete(key);
        pods.delete(key);
      }
      for (const pod of reported) {
        const key = `${pod.namespace}/${pod.name}`;
        pods.set(key, pod);
        looked.add(key);
      }
      for (const key of moveTo(nodes)) looked.add(key);
      for (const key of hold(now)) looked.add(key);
      for (const key of reserve(names)) looked.add(key);

      const before = new Map<NamespacedName, string>();
      const seekers: Seeker[] = [];
      const elsewhere: AddressFault[] = [];
      for (const key of looked) {
        const seeker = seekerOf(key);
        if (seeker !== null && hasItsOwn(seeker)) continue;
        const addresses = held.addresses.get(key) ?? [];
        before.set(key, String(addresses));
        held.release(key);
        const fault = nodeFault(key);
        if (fault !== null) elsewhere.push(fault);
        else if (seeker === null) refused.delete(key);
        else seekers.push({ ...seeker, had: isHolder(seeker) ? (left.get(key) ?? addresses) : [] });
      }
      // Pods that got no addresses in earlier batches are also served, because an address that they need may have
      // become free.
      for (const key of refused.keys()) {
        const seeker = looked.has(key) ? null : seekerOf(key);
        if (seeker !== null) seekers.push(seeker);
      }
      const served = serve(seekers, { addressesOfRow, take, holderOf: held.holderOf, fixedRanges });
      const faults = [...elsewhere, ...served].filter(({ pod, reason, note }) => {
        if (reason === 'AddressReplaced') return true;
        const key = `${pod.namespace}/${pod.name}`;
        const isNews = refused.get(key) !== note;
        refused.set(key, note);
        return isNews;
      });
      const changed = [...new Set([...before.keys(), ...seekers.map(({ key }) => key)])];
      return {
        changed: changed.filter((key) => String(held.addresses.get(key) ?? []) !== (before.get(key) ?? '')),
        faults,
      };
    },
  };
}

/**
 * Returns true if the network serves a pod: it is scheduled, has not ended, is not in the host network, and is within
 * its budget.
 */
function isServed({ nodeName, isHostNetwork, isOver, refusal }: Pod): boolean {
  return nodeName !== null && !isHostNetwork && !isOver && refusal === undefined;
}

/** Functions that assign addresses and find their holders, with the ranges in which pods may request addresses. */
interface Counter {
  addressesOfRow(pod: NamespacedName, uid: string): readonly string[];
  take(seeker: Seeker, addresses: readonly string[]): boolean;
  holderOf(address: string): NamespacedName | null;
  readonly fixedRanges: readonly FixedRange[];
}

/**
 * Assigns addresses to each pod. Pods that already have addresses come first, in the order in which the sources of the
 * addresses are trusted: the previous batch, status.podIPs with an address of each family, the pod's row (first the
 * rows with which the annotation agrees), the pod's annotation, and last status.podIPs with fewer addresses. The
 * kubelet writes status.podIPs, and the central node writes rows; a user who may change a pod can write neither, but
 * can write the annotation. The annotation is needed only in a cluster whose rows were lost. After pods with addresses
 * come pods that request an address, and then all others. Returns a fault for each pod that did not get the addresses
 * that it needs, or cannot keep those with which it runs.
 */
function serve(seekers: readonly Seeker[], counter: Counter): readonly AddressFault[] {
  const isLeft = (seeker: Seeker, addresses: readonly string[]): boolean => {
    const usable = usableOf(seeker.subnets, addresses);
    return usable.length === 0 || !counter.take(seeker, usable);
  };
  const running = ({ pod }: Seeker): readonly string[] => pod.podIPs.map(canonicalAddress);
  const isWhole = ({ pod, subnets }: Seeker): boolean => pod.podIPs.length === subnets.ranges.length;
  // Rows and annotations are read only for the few pods that are left: after a restart, the kubelet reports the
  // addresses of nearly all pods.
  let unserved = seekers
    .filter((one) => isLeft(one, one.had))
    .filter((one) => isLeft(one, isWhole(one) ? running(one) : []))
    .map((seeker) => ({
      seeker,
      annotated: (annotatedNetwork(seeker.pod.annotations)?.addresses ?? []).map(withoutLength),
      ofRow: counter.addressesOfRow(seeker.key, kubeletUid(seeker.pod)).map(canonicalAddress),
    }));
  const sources: readonly ((one: (typeof unserved)[number]) => readonly string[])[] = [
    ({ annotated, ofRow }) => (String(annotated) === String(ofRow) ? annotated : []),
    ({ ofRow }) => ofRow,
    ({ annotated }) => annotated,
    ({ seeker }) => running(seeker),
  ];
  for (const source of sources) unserved = unserved.filter((one) => isLeft(one.seeker, source(one)));
  const left = unserved.map(({ seeker }) => seeker);
  const isAsking = ({ pod }: Seeker): boolean => requestedAddresses(pod.annotations).length > 0;
  return [...left.filter(isAsking), ...left.filter((seeker) => !isAsking(seeker))].flatMap((seeker) => {
    const { pod, node, subnets } = seeker;
    const addresses = requestedAddresses(pod.annotations);
    const refusal = requestRefusal(pod, addresses, counter.fixedRanges);
    if (refusal !== null) return [refusal];
    const isServed = counter.take(seeker, addresses);
    const text = subnets.ranges.map((range) => range.text).join(' and ');
    if (isServed && pod.podIPs.length === 0) return [];
    if (isServed) return [addressReplaced(pod, node, text)];
    return [addresses.length === 0 ? noneFree(pod, node, text) : notAsAsked(seeker, addresses, text, counter)];
  });
}

function notAsAsked(
  { pod, node, subnets }: Seeker,
  addresses: readonly string[],
  text: string,
  { holderOf }: Counter,
): AddressFault {
  const isEachUsable = usableOf(subnets, addresses).length === addresses.length;
  const holder = addresses.map(holderOf).find((one) => one !== null);
  if (isEachUsable && holder !== undefined) return addressTaken(pod, addresses, holder);
  return notUsable(pod, addresses, node, text, lastWithOwnMac(subnets));
}

function holderText(pod: Pod, node: string): string {
  return `${kubeletUid(pod)} ${node}`;
}
