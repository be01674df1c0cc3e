import { annotationNames, type PodNetwork } from '../workload/pods/annotations.ts';

/** A pod of this node, as far as its interface depends on it. */
export interface NodePod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What the kubelet calls a static pod, which has another uid in the API (annotation kubernetes.io/config.mirror); null: it is none. */
  readonly mirrorOf: string | null;
  /** null: it has no address yet. */
  readonly network: PodNetwork | null;
}

/** Reads a pod of the API. */
export function readNodePod(object: unknown): NodePod {
  const { namespace, name, uid, annotations } = item(item(object).metadata);
  const notes = item(annotations);
  const mirror = notes['kubernetes.io/config.mirror'];
  return {
    namespace: String(namespace ?? ''),
    name: String(name ?? ''),
    uid: String(uid ?? ''),
    mirrorOf: typeof mirror === 'string' ? mirror : null,
    network: networkIn(notes[annotationNames.podNetworks]),
  };
}

/** True where the runtime means this pod; without a uid every one of the name. */
export function isSamePod({ uid, mirrorOf }: NodePod, askedFor: string | null): boolean {
  return askedFor === null || askedFor === uid || askedFor === mirrorOf;
}

/** Everybody who may annotate pods may write it: what is no address is none. */
function networkIn(text: unknown): PodNetwork | null {
  let of: Item;
  try {
    of = item(item(JSON.parse(String(text))).default);
  } catch {
    return null;
  }
  const addresses = texts(of.ip_addresses, withLength);
  const routes = (Array.isArray(of.routes) ? of.routes : []).map(item).map(({ dest, nextHop }) => ({
    destination: String(dest),
    nextHop: String(nextHop),
  }));
  const mac = String(of.mac_address);
  const isUsable =
    addresses.length > 0 &&
    macAddress.test(mac) &&
    routes.every((route) => withLength.test(route.destination) && plain.test(route.nextHop));
  return isUsable ? { addresses, mac, gateways: texts(of.gateway_ips, plain), routes } : null;
}

// Only what ip(8) reads as an address; the API server's own check of both is ours, too.
const plain = /^[0-9a-fA-F.:]{2,45}$/;
const withLength = /^[0-9a-fA-F.:]{2,45}\/\d{1,3}$/;
const macAddress = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/;

type Item = Readonly<Record<string, unknown>>;

function item(value: unknown): Item {
  return typeof value === 'object' && value !== null ? (value as Item) : {};
}

function texts(value: unknown, form: RegExp): readonly string[] {
  return (Array.isArray(value) ? value : []).filter((one): one is string => typeof one === 'string' && form.test(one));
}
