// Part of a node's state that must be equal before and after an action without an effect: the state without the parts
// that change by themselves.
import type { TestNode } from './node.ts';
import type { NodeState } from './state.ts';

export interface Picture {
  addresses: string[];
  links: string[];
  routes: string[];
  devices: string[];
  profiles: string[];
  bridges: Record<string, string[]>;
  files: Record<string, string>;
  /** Every file of /etc with the time of its last change, so that a file which was written and restored is visible. */
  etc: string[];
}

// Files that every run writes: its record, and the NIC that it chose.
const ownRecords = /^\/(run\/microshift-net|var\/lib\/ovnk)\//;
/** Profile that NetworkManager generates for lo at each of its starts, with a random UUID. */
const loopbackProfile = '/run/NetworkManager/system-connections/lo.nmconnection';
/** Device that ovs-vswitchd makes for the userspace data path, with a random MAC. */
const userspaceDataPath = 'ovs-netdev';
export const dataPath = 'ovs-system';
/**
 * Interval between two pictures: each picture uses the node's CPU for half a second, and the awaited change needs the
 * CPU.
 */
const againMs = 1000;

/** Returns the present picture of the node. */
export async function picture(node: TestNode): Promise<Picture> {
  const state = await node.state();
  // NetworkManager writes resolv.conf, and may have been killed while it wrote a temporary one; the contents are among
  // the files of the picture.
  const others = `! -path /etc/resolv.conf ! -path '/etc/resolv.conf.??????'`;
  const listing = await node.text(`find /etc ! -type d ${others} -printf '%p %s %C@\\n' | sort`);
  return { ...networkOf(state), etc: listing.split('\n') };
}

/**
 * Takes pictures until one equals `wanted` or the time is over, because NetworkManager and ovs-vswitchd still clean up
 * after they have answered; returns the last picture. `compared` selects the parts that the caller compares, so that
 * other differences are not awaited.
 */
export async function pictureLike(
  node: TestNode,
  wanted: Picture,
  limitMs = 60_000,
  compared: (shown: Picture) => Picture = (shown) => shown,
): Promise<Picture> {
  const end = performance.now() + limitMs;
  const expected = JSON.stringify(compared(wanted));
  for (;;) {
    const now = compared(await picture(node));
    if (performance.now() > end || JSON.stringify(now) === expected) return now;
    // The picture is polled, because no single event reports the end of all the work that changes it.
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/** Returns the picture without the times at which files of /etc were written. */
export function withoutTimes(shown: Picture): Picture {
  return { ...shown, etc: [] };
}

/** Returns the differences of two pictures, part by part. */
export function differences(now: Picture, wanted: Picture): readonly string[] {
  const entries = (shown: Picture): readonly string[] =>
    Object.entries(shown).flatMap(([part, items]) =>
      Object.entries(items).map(([key, item]) => `${part} ${Array.isArray(items) ? '' : `${key} `}${String(item)}`),
    );
  const [here, there] = [entries(now), entries(wanted)];
  return [
    ...here.filter((entry) => !there.includes(entry)).map((entry) => `+ ${entry}`),
    ...there.filter((entry) => !here.includes(entry)).map((entry) => `- ${entry}`),
  ];
}

/** Returns the picture without the kernel's data path, which belongs to ovs-vswitchd. */
export function withoutDataPath(shown: Picture): Picture {
  return { ...shown, links: shown.links.filter((link) => !link.startsWith(`${dataPath} `)) };
}

/**
 * Returns the picture without the MACs of ports: a bond has the MAC of the port that came up first, and only the
 * bridge's own MAC counts.
 */
export function withoutPortMacs(shown: Picture): Picture {
  const links = shown.links.map((link) => link.replace(/^(\S+) \S+ (mtu \d+ in (?!undefined ))/, '$1 $2'));
  return { ...shown, links };
}

// Link-local address of MicroShift's br-ex, which is not compared: NetworkManager sees the device for a moment before
// the device becomes unmanaged, and may then disable or enable the kernel's own IPv6 addresses.
const byChance = 'fe80::859:ff:fe00:1/64';

function networkOf(state: NodeState): Omit<Picture, 'etc'> {
  const { data } = state;
  const isByChance = data.addresses.some(({ address }) => address === byChance);
  const routes = [...data.routes4, ...data.routes6].filter(
    (route) => route.table === 'main' && !(isByChance && route.dev === 'br-ex' && route.dst === 'fe80::/64'),
  );
  return {
    addresses: data.addresses
      .filter(({ address }) => address !== byChance)
      .map((a) => `${a.device} ${a.address} ${a.scope}`)
      .sort(),
    links: data.links
      .map((l) => ({ ...l, mac: l.name === userspaceDataPath ? 'random' : l.mac }))
      .map((l) => `${l.name} ${l.mac} mtu ${l.mtu} in ${l.master} ${l.flags.includes('UP')}`)
      .sort(),
    routes: routes.map((r) => `${r.dst} via ${r.gateway} dev ${r.dev} metric ${r.metric} ${r.protocol}`).sort(),
    // Objects of Open vSwitch without an active profile are rows that NetworkManager has seen at some time.
    devices: data.devices
      .filter((d) => !/^ovs-(bridge|port)$/.test(d.type) || d.connection !== '')
      .map((d) => `${d.device} ${d.type} ${d.state} ${d.connection}`)
      .sort(),
    profiles: data.profiles
      .filter(({ filename }) => filename !== loopbackProfile)
      .map((p) => `${p.name} ${p.uuid} ${p.autoconnect} ${p.device} ${p.filename}`)
      .sort(),
    bridges: Object.fromEntries(state.bridges().map((bridge) => [bridge, state.interfacesOf(bridge)])),
    files: Object.fromEntries(
      Object.entries(data.files)
        .filter(([path]) => path !== loopbackProfile && !ownRecords.test(path))
        // NetworkManager notes in a profile when it was active last.
        .map(([path, text]) => [path, text.replace(/^timestamp=.*\n/gm, '')]),
    ),
  };
}
