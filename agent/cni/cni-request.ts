import { type CniVersion, cniVersions, isAtLeast, readVersion } from './cni-version.ts';
import { CniError, cniCode } from './error.ts';

/**
 * Commands of a request. CNI defines all of them except `PLUG`, the second half of ADD. The CNI plug-in sends `PLUG`
 * after it has created the links.
 */
export const cniCommands = ['ADD', 'PLUG', 'CHECK', 'DEL', 'GC', 'STATUS'] as const;

export type CniCommand = (typeof cniCommands)[number];

/** Request of a container runtime, as the CNI plug-in passes it to the daemon. */
export interface CniRequest {
  readonly command: CniCommand;
  readonly config: CniConfig;
  readonly containerId: string;
  /** Path of the network namespace; empty if it no longer exists. */
  readonly netns: string;
  readonly ifname: string;
  /** Pod of the container; null if the runtime does not report it in CNI_ARGS. */
  readonly pod: CniPod | null;
  /** Output of `ip -json` in the network namespace, for CHECK: addresses, IPv4 routes, IPv6 routes. */
  readonly observed: readonly string[];
}

export interface CniPod {
  readonly namespace: string;
  readonly name: string;
  /** UID of the pod; null with older runtimes, which do not report it. */
  readonly uid: string | null;
}

export interface CniConfig {
  readonly version: CniVersion;
  /** Field `dns` of the network configuration, which is copied to the result. */
  readonly dns: unknown;
  /** Result of the earlier ADD; null if the runtime passes none. */
  readonly prevResult: unknown;
  /** Ids of the containers whose attachments GC has to keep. */
  readonly validContainers: readonly string[];
}

/** Returns the CNI version of the reply to a network configuration, even if the configuration is invalid. */
export function versionOf(text: string): string {
  try {
    const version = (JSON.parse(text) as { cniVersion?: unknown } | null)?.cniVersion;
    return typeof version === 'string' ? version : '0.1.0';
  } catch {
    return cniVersions[cniVersions.length - 1] ?? '';
  }
}

/**
 * Reads a request. `words` are CNI_CONTAINERID, CNI_NETNS, CNI_IFNAME, CNI_ARGS, the configuration, and for CHECK the
 * output of `ip -json`. Throws a CniError with the code 1, 4, 6 or 7.
 */
export function readRequest(command: CniCommand, words: readonly string[]): CniRequest {
  const [containerId = '', netns = '', ifname = '', args = '', text = '', ...observed] = words;
  const config = readConfig(command, text);
  const isOfContainer = command !== 'GC' && command !== 'STATUS';
  if (isOfContainer) {
    requireThat(/^[a-zA-Z0-9][\w.-]*$/.test(containerId), 'CNI_CONTAINERID', containerId);
    requireThat(isInterfaceName(ifname), 'CNI_IFNAME', ifname);
    if (command !== 'DEL') requireThat(isPath(netns), 'CNI_NETNS', netns);
  }
  return { command, config, containerId, netns, ifname, pod: isOfContainer ? podOf(args) : null, observed };
}

function readConfig(command: CniCommand, text: string): CniConfig {
  const config = parse(text);
  const version = readVersion(config.cniVersion);
  const since = { CHECK: '0.4.0', GC: '1.1.0', STATUS: '1.1.0', ADD: '0.3.1', PLUG: '0.3.1', DEL: '0.3.1' } as const;
  if (!isAtLeast(version, since[command])) {
    const message = `${command} is not known to CNI ${version}`;
    throw new CniError(cniCode.incompatibleVersion, message, `it came with ${since[command]}`);
  }
  const { prevResult = null, dns } = config;
  if ((command === 'ADD' || command === 'PLUG') && prevResult !== null) {
    const message = 'another plug-in comes before this one, which gives a pod its interface';
    throw new CniError(cniCode.badConfig, message, 'make it the first of the list');
  }
  if (command === 'CHECK' && prevResult === null) throw new CniError(cniCode.badConfig, 'CHECK without prevResult');
  const validContainers = command === 'GC' ? attachmentsIn(config['cni.dev/valid-attachments']) : [];
  return { version, dns, prevResult, validContainers };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CniError(cniCode.undecodable, 'the network configuration is not JSON', reason);
  }
  if (isObject(value)) return value;
  throw new CniError(cniCode.undecodable, 'the network configuration is not an object');
}

/**
 * Returns the ids of the containers in cni.dev/valid-attachments. Throws a CniError with the code 7 if the request has
 * no such list: the CNI specification requires this list, and without it GC would remove the interfaces of all pods.
 */
function attachmentsIn(value: unknown): readonly string[] {
  const ids = Array.isArray(value)
    ? value.map((one: unknown) => (isObject(one) ? one.containerID : undefined))
    : [undefined];
  if (ids.every((id) => typeof id === 'string')) return ids;
  throw new CniError(cniCode.badConfig, 'cni.dev/valid-attachments is not a list of attachments');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the pod from CNI_ARGS, which has the form `KEY=VALUE;KEY=VALUE`, and ignores the keys that do not name the pod.
 * Returns null if the namespace or the name of the pod is missing.
 */
function podOf(args: string): CniPod | null {
  const values = new Map(
    args.split(';').map((one) => [one.split('=')[0] ?? '', one.slice(one.indexOf('=') + 1)] as const),
  );
  const [namespace, name] = [values.get('K8S_POD_NAMESPACE'), values.get('K8S_POD_NAME')];
  if (!namespace || !name) return null;
  // The namespace and the name of a pod may have only lower-case letters, digits, hyphens and dots, as in the
  // Kubernetes API (RFC 1123).
  for (const part of [namespace, name]) requireThat(/^[a-z0-9][a-z0-9.-]{0,252}$/.test(part), 'CNI_ARGS', args);
  return { namespace, name, uid: values.get('K8S_POD_UID') || null };
}

/**
 * Returns true for a valid interface name (CNI specification 1.1, "Parameters"): a name that the kernel accepts, and
 * whose characters have no special meaning in a line of `ip -batch`.
 */
function isInterfaceName(name: string): boolean {
  return /^[\w.+-]{1,15}$/.test(name) && name !== '.' && name !== '..';
}

function isPath(path: string): boolean {
  return /^\/[\w./+:@,=-]{1,4000}$/.test(path);
}

function requireThat(holds: boolean, variable: string, value: string): void {
  if (holds) return;
  const message = value === '' ? `${variable} is not set` : `${variable} cannot be used: ${JSON.stringify(value)}`;
  throw new CniError(cniCode.badEnvironment, message);
}
