import type { FixedRange, OverlayNode } from '../../model/overlay.ts';
import type { ObjectKey, Pod, PodAddresses } from '../../model/workload.ts';
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
import { createHeldAddresses } from './held.ts';
import { kubeletUid } from './mirror.ts';
import { portName } from './port-name.ts';
import { isSame, lastWithOwnMac, type PodSubnets, podSubnets, usableOf } from './subnets.ts';

/** Which pod has which addresses. Decides from what it is told only: the same batches give the same addresses. */
export interface AddressBook {
  /** Of all pods that have some; the same map always, with what is so now. */
  readonly addresses: PodAddresses;
  /** Takes one batch in. Pods that were refused are looked at again with every batch that frees an address. */
  settle(batch: AddressBatch): AddressOutcome;
}

export interface AddressBatch {
  /** All members of the overlay as they are now. */
  readonly nodes: readonly OverlayNode[];
  /** Pods that are new or changed; all of them after a list. A pod of the same name with another uid replaces the one before. */
  readonly pods: Iterable<Pod>;
  /** Names of ports that nodes have: no pod gets one of them. Absent: none could be a pod's. */
  readonly reserved?: ReadonlySet<string>;
  /** Namespaces whose pods may ask for addresses, each with a range; empty or absent if pods of every namespace may ask for any address. */
  readonly fixedRanges?: readonly FixedRange[];
  /** Pods that are gone. */
  readonly gone: Iterable<ObjectKey>;
  /**
   * Addresses that this very pod's row of OVN_Northbound has, without length; empty: it has none. `uid` is that by which the kubelet knows it. Asked only for
   * pods that have no address yet.
   */
  addressesOfRow(pod: ObjectKey, uid: string): readonly string[];
}

export interface AddressOutcome {
  /** Pods that have other addresses than before the batch, or have some, or none, for the first time. */
  readonly changed: readonly ObjectKey[];
  /** Pods that did not get what they need, each once while nothing changes about it. */
  readonly faults: readonly AddressFault[];
}

/** A pod that is to have addresses of its node. */
interface Seeker {
  readonly key: ObjectKey;
  readonly pod: Pod;
  readonly node: string;
  readonly subnets: PodSubnets;
  /** What it had in this book until now. */
  readonly had: readonly string[];
}

/** A book in which nobody has an address yet: the first batch has to have all pods. */
export function createAddressBook(): AddressBook {
  const held = createHeldAddresses();
  const pods = new Map<ObjectKey, Pod>();
  /** Uid and node of those that have some, or had; of those that are gone only where another copy comes. */
  const holders = new Map<ObjectKey, string>();
  /** What static pods had whose copy was deleted: they run on, and another copy comes. */
  const left = new Map<ObjectKey, readonly string[]>();
  /** What was told of those that shall have some and have none. */
  const refused = new Map<ObjectKey, string>();
  let subnetsOf: ReadonlyMap<string, PodSubnets> = new Map();
  let reserved: ReadonlySet<string> = new Set();

  const seekerOf = (key: ObjectKey): Seeker | null => {
    const pod = pods.get(key);
    const subnets = subnetsOf.get(pod?.nodeName ?? '');
    if (pod === undefined || subnets === undefined || !isServed(pod) || reserved.has(portName(key))) return null;
    return { key, pod, node: pod.nodeName ?? '', subnets, had: [] };
  };
  /** Of a pod that shall have addresses, and whose node has none to give. */
  const nodeFault = (key: ObjectKey): AddressFault | null => {
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
  /** True where all of it can be had, which is done then. */
  const take = ({ key, pod, node, subnets }: Seeker, addresses: readonly string[]): boolean => {
    if (!held.take(key, subnets, addresses)) return false;
    holders.set(key, holderText(pod, node));
    left.delete(key);
    refused.delete(key);
    return true;
  };
  /** Nodes come, go, and get other subnets: the pods that it concerns. */
  const moveTo = (nodes: readonly OverlayNode[]): readonly ObjectKey[] => {
    const now = new Map(nodes.filter(givesAddresses).map((node) => [node.name, podSubnets(node)]));
    const names = new Set([...subnetsOf.keys(), ...now.keys()]);
    const moved = [...names].filter((name) => !isSame(subnetsOf.get(name), now.get(name)));
    subnetsOf = now;
    if (moved.length === 0) return [];
    return [...pods].flatMap(([key, { nodeName }]) => (moved.includes(nodeName ?? '') ? [key] : []));
  };

  /** Ports of nodes come and go: the pods that have the name of one. */
  const reserve = (names: ReadonlySet<string>): readonly ObjectKey[] => {
    const changed = new Set([...names, ...reserved].filter((name) => names.has(name) !== reserved.has(name)));
    reserved = names;
    return changed.size === 0 ? [] : [...pods.keys()].filter((key) => changed.has(portName(key)));
  };

  return {
    addresses: held.addresses,
    settle: ({ nodes, pods: told, gone, addressesOfRow, reserved: names = reserved, fixedRanges = [] }) => {
      const looked = new Set<ObjectKey>(gone);
      for (const key of looked) {
        const pod = pods.get(key);
        if (pod?.mirrorOf !== undefined) left.set(key, held.addresses.get(key) ?? []);
        else if (pod !== undefined) holders.delete(key);
        pods.delete(key);
      }
      for (const pod of told) {
        const key = `${pod.namespace}/${pod.name}`;
        pods.set(key, pod);
        looked.add(key);
      }
      for (const key of moveTo(nodes)) looked.add(key);
      for (const key of reserve(names)) looked.add(key);

      const before = new Map<ObjectKey, string>();
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
      // Somebody may have given back what they need.
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

/** Whether the network serves a pod: one that runs somewhere, in a network of its own, and is within its budget. */
function isServed({ nodeName, isHostNetwork, isOver, refusal }: Pod): boolean {
  return nodeName !== null && !isHostNetwork && !isOver && refusal === undefined;
}

/** How addresses are had. */
interface Counter {
  addressesOfRow(pod: ObjectKey, uid: string): readonly string[];
  take(seeker: Seeker, addresses: readonly string[]): boolean;
  holderOf(address: string): ObjectKey | null;
  readonly fixedRanges: readonly FixedRange[];
}

/**
 * Gives addresses to each pod. Pods that have some already come first, in the order of trust in the source. The addresses of a running pod are
 * reported by its kubelet (status.podIPs, which is a subresource of its own); a row is written by the central node alone; an annotation can be
 * written by every user who may change the pod, and is used after these, for a cluster whose rows were lost. Pods that ask for an address come next,
 * and all others last. Returns a fault for each pod whose needs could not be met.
 */
function serve(seekers: readonly Seeker[], counter: Counter): readonly AddressFault[] {
  const known = seekers.map((seeker) => ({
    seeker,
    running: seeker.pod.podIPs.map(canonicalAddress),
    annotated: (annotatedNetwork(seeker.pod.annotations)?.addresses ?? []).map(withoutLength),
    ofRow: counter.addressesOfRow(seeker.key, kubeletUid(seeker.pod)).map(canonicalAddress),
  }));
  const sources: readonly ((one: (typeof known)[number]) => readonly string[])[] = [
    ({ seeker }) => seeker.had,
    ({ seeker, running }) => (running.length === seeker.subnets.ranges.length ? running : []),
    ({ annotated, ofRow }) => (String(annotated) === String(ofRow) ? annotated : []),
    ({ ofRow }) => ofRow,
    ({ annotated }) => annotated,
    ({ running }) => running,
  ];
  let unserved = known;
  for (const source of sources) {
    unserved = unserved.filter((one) => {
      const addresses = usableOf(one.seeker.subnets, source(one));
      return addresses.length === 0 || !counter.take(one.seeker, addresses);
    });
  }
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
