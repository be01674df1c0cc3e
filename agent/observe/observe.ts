import type {
  HintFiles,
  Link,
  NetworkManagerFacts,
  Observation,
  OvsFacts,
  Resolver,
  Route,
} from '../model/observation.ts';
import type { TuningFacts } from '../model/tuning.ts';

/** What observing needs of the outside world; real ones are put together in assemble.ts. */
export interface ObservePorts {
  readonly links: () => readonly Link[];
  readonly routes: () => readonly Route[];
  readonly readFile: (path: string) => string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly networkManager: () => Promise<NetworkManagerFacts>;
  readonly ovs: () => Promise<OvsFacts>;
  readonly tuning: () => TuningFacts;
}

/** Takes a snapshot of the node. Reads only; fails with the kind of the part that does not answer. */
export async function observe(ports: ObservePorts): Promise<Observation> {
  const [networkManager, ovs] = await Promise.all([ports.networkManager(), ports.ovs()]);
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
    networkManager,
    ovs,
    tuning: ports.tuning(),
  };
}

/** Hint files: their first line, without white space around it. */
export function readHints(readFile: (path: string) => string | null): HintFiles {
  const hint = (path: string): string | null => {
    const line = readFile(path)?.split('\n')[0]?.trim() ?? '';
    return line === '' ? null : line;
  };
  return {
    interfaceHint: hint('/var/lib/ovnk/iface_default_hint'),
    extraBridge: hint('/etc/ovnk/extra_bridge'),
    defaultBridge: hint('/etc/ovnk/default_bridge'),
    nodeIp: hint('/run/nodeip-configuration/primary-ip'),
  };
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
