import type {
  HintedNic,
  HintFiles,
  Link,
  NetworkManagerFacts,
  Observation,
  OvsFacts,
  Resolver,
  Route,
} from '../model/observation.ts';
import type { TuningFacts } from '../model/tuning.ts';

/** What observing needs of the machine itself; the real ones are in assemble.ts. */
export interface HostPorts {
  readonly links: () => readonly Link[];
  readonly routes: () => readonly Route[];
  readonly readFile: (path: string) => string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly tuning: () => TuningFacts;
  /** True for a program that NetworkManager would find. */
  readonly hasProgram: (name: string) => boolean;
}

/** What observing needs of the outside world; real ones are put together in assemble.ts. */
export interface ObservePorts extends HostPorts {
  readonly networkManager: () => Promise<NetworkManagerFacts>;
  readonly ovs: () => Promise<OvsFacts>;
}

/** What can be seen without asking a daemon. */
export type HostFacts = Omit<Observation, 'networkManager' | 'ovs'>;

/**
 * Takes a snapshot of the node. Reads only; fails with the kind of the part that does not answer. The kernel's part is read while
 * the daemons prepare their answers.
 */
export async function observe(ports: ObservePorts): Promise<Observation> {
  const daemons = Promise.all([ports.networkManager(), ports.ovs()]);
  const [[networkManager, ovs], host] = await Promise.all([daemons, readHost(ports)]);
  const links = withPermanentMacs(host.links, networkManager);
  return { ...host, host: withMissingPrograms(host.host, networkManager, ports), links, networkManager, ovs };
}

/** NMDeviceType: team. */
const teamDevice = 15;

function withMissingPrograms(
  host: Observation['host'],
  { devices }: NetworkManagerFacts,
  ports: HostPorts,
): Observation['host'] {
  const lacksTeamd = devices.some((device) => device.type === teamDevice) && !ports.hasProgram('teamd');
  return lacksTeamd ? { ...host, missingPrograms: ['teamd'] } : host;
}

/** Asynchronous, so that a file that cannot be read is a rejection beside those of the daemons. */
async function readHost(ports: HostPorts): Promise<HostFacts> {
  return observeHost(ports);
}

/** The part of a snapshot that the kernel and files give. */
export function observeHost(ports: HostPorts): HostFacts {
  return {
    host: {
      bootId: ports.readFile('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
      hostname: ports.readFile('/proc/sys/kernel/hostname')?.trim() ?? '',
      sshPeer: sshPeer(ports.environment.SSH_CONNECTION),
    },
    links: ports.links(),
    routes: ports.routes(),
    resolver: parseResolver(ports.readFile('/etc/resolv.conf') ?? ''),
    hints: readHints(ports.readFile),
    tuning: ports.tuning(),
  };
}

/** Permanent MACs, which the kernel tells only through calls that Node does not have: NetworkManager has asked already. */
function withPermanentMacs(links: readonly Link[], { devices }: NetworkManagerFacts): readonly Link[] {
  const macs = new Map(devices.map((device) => [device.interface, device.permanentHwAddress] as const));
  return links.map((link) => ({ ...link, permanentMac: macs.get(link.name) || null }));
}

/** Hint files: their first line, without white space and quotes around it. */
export function readHints(readFile: (path: string) => string | null): HintFiles {
  const hint = (path: string): string | null => {
    const line = readFile(path)?.split('\n')[0]?.trim() ?? '';
    const text = (/^(["'])(.*)\1$/.exec(line)?.[2] ?? line).trim();
    return text === '' ? null : text;
  };
  return {
    interfaceHint: hint('/var/lib/ovnk/iface_default_hint'),
    hintedNic: parseHintedNic(readFile(hintedNicPath)),
    extraBridge: hint('/etc/ovnk/extra_bridge'),
    defaultBridge: hint('/etc/ovnk/default_bridge'),
    nodeIp: hint('/run/nodeip-configuration/primary-ip'),
  };
}

/** Where a run that has moved a NIC notes its permanent MAC, beside the hint with its name. */
export const hintedNicPath = '/var/lib/microshift-net/uplink.json';

/** A note that is damaged counts as none: the name in the hint is still there. */
function parseHintedNic(text: string | null): HintedNic | null {
  try {
    const { interface: name, permanentMac } = JSON.parse(text ?? '{}') as Record<string, unknown>;
    return typeof name === 'string' && typeof permanentMac === 'string' ? { interface: name, permanentMac } : null;
  } catch {
    return null;
  }
}

/** resolv.conf(5): the last `search` or `domain` line wins, `options` add up. */
export function parseResolver(text: string): Resolver {
  const nameservers: string[] = [];
  const options: string[] = [];
  let search: string[] = [];
  for (const line of text.split('\n')) {
    const [keyword = '', ...words] = line.trim().split(/\s+/);
    if (keyword === 'nameserver' && words[0] !== undefined) nameservers.push(words[0]);
    else if (keyword === 'search' || keyword === 'domain') search = words;
    else if (keyword === 'options') options.push(...words);
  }
  return { nameservers, search, options };
}

/** sshd(8): SSH_CONNECTION is "client-address client-port server-address server-port". */
function sshPeer(connection: string | undefined): string | null {
  const [peer = ''] = (connection ?? '').split(' ');
  return peer === '' ? null : peer;
}
