import type { AddedBridge } from '../model/added-bridge.ts';
import type { KernelEntries } from '../model/kernel-entries.ts';
import type { Link, NetworkManagerFacts, Observation, OvsFacts, Resolver, Route } from '../model/observation.ts';
import type { TuningFacts } from '../model/tuning.ts';
import { readHints } from './hints.ts';
import {
  type HostObservation,
  kernelDatapathFact,
  kernelIpv6Fact,
  microshiftFact,
  microshiftScriptFact,
  missingPrograms,
  observationOf,
  signpostFact,
  tunFact,
} from './make-observation.ts';
import { readOthers } from './read-others.ts';

/** Functions with which `observe` reads the node; run/node.ts assembles the real ones. */
export interface ObservePorts {
  readonly links: () => readonly Link[];
  readonly routes: () => readonly Route[];
  /** Returns true if the signpost (model/signpost.ts) exists. */
  readonly signpost: () => boolean;
  /**
   * Reads the entries that programs other than NetworkManager added to links, and entries that NetworkManager may have
   * added.
   */
  readonly foreign: (
    links: readonly Link[],
    routes: readonly Route[],
    added: readonly AddedBridge[],
  ) => Promise<readonly KernelEntries[]>;
  /** Returns true if the kernel itself configures IPv6 on an interface. */
  readonly takesAdvertisements: (name: string) => boolean;
  readonly readFile: (path: string) => string | null;
  /** Returns the address of the SSH client that started the run; null if no SSH client started it. */
  readonly sshClient: () => string | null;
  readonly tuning: () => TuningFacts;
  /** Returns true for a program that NetworkManager would find in its search path. */
  readonly hasProgram: (name: string) => boolean;
  /** Returns true if Open vSwitch can make taps. */
  readonly hasTun: () => boolean;
  /** Returns the state of the kernel module openvswitch. */
  readonly openvswitchModule: () => string;
  readonly networkManager: () => Promise<NetworkManagerFacts>;
  readonly ovs: () => Promise<OvsFacts>;
}

/**
 * Takes a snapshot of the node. Only reads. Fails with the error of a daemon that does not answer, or of a file that
 * cannot be read. The facts about the kernel are read while the daemons prepare their answers.
 */
export async function observe(ports: ObservePorts): Promise<Observation> {
  const daemons = Promise.all([ports.networkManager(), ports.ovs()]);
  const [[networkManager, ovs], host] = await Promise.all([daemons, observeHost(ports)]);
  return observationOf(host, networkManager, ovs);
}

/**
 * Reads the part of the observation that comes from the kernel and from files. The function is asynchronous, so that an
 * unreadable file makes its promise reject. A synchronous function would throw the error before the caller awaits the
 * answers of the daemons, and nothing would then handle the daemons' errors.
 */
async function observeHost(ports: ObservePorts): Promise<HostObservation> {
  const [links, routes] = [ports.links(), ports.routes()];
  const hints = readHints(ports.readFile);
  const others = readOthers(ports.readFile);
  return {
    host: {
      bootId: ports.readFile('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
      hostname: ports.readFile('/proc/sys/kernel/hostname')?.trim() ?? '',
      sshPeer: ports.sshClient(),
      missingPrograms: missingPrograms(ports.hasProgram),
      ...microshiftScriptFact(ports.readFile),
      ...microshiftFact(ports.hasProgram),
      ...tunFact(ports.hasTun()),
      ...kernelDatapathFact(ports.openvswitchModule()),
    },
    links,
    routes,
    ...signpostFact(ports.signpost()),
    foreign: await ports.foreign(links, routes, hints.addedBridges ?? []),
    ...kernelIpv6Fact(links, ports.takesAdvertisements),
    ...(others.length === 0 ? {} : { others }),
    resolver: parseResolver(ports.readFile('/etc/resolv.conf') ?? ''),
    hints,
    tuning: ports.tuning(),
  };
}

/** Parses resolv.conf(5): the last `search` or `domain` line is effective, and `options` add up. */
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
