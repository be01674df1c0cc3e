import { type Attachment, interfaceIds } from './attachment.ts';

/** Interface row for a pod's port in br-int (ovs-vswitchd.conf.db(5)). */
export interface PortState {
  readonly name: string;
  readonly externalIds: Readonly<Record<string, string>>;
  /** OpenFlow number of the port; null if ovs-vswitchd has not created the port yet, -1 if it could not create it. */
  readonly ofport: number | null;
  /** Error that ovs-vswitchd reports for the port; null if it reports none. */
  readonly error: string | null;
}

/** Returns true if OVN has installed all flows of a pod's port (ovn-controller(8), ovn-installed). */
export function isInstalled({ externalIds }: Pick<PortState, 'externalIds'>): boolean {
  return externalIds['ovn-installed'] === 'true';
}

/**
 * Returns the differences of a pod's interface from its desired state, each as a sentence; an empty list if the
 * interface is in its desired state. `observed` is the output of `ip -json` in the pod's network namespace: addresses,
 * IPv4 routes, IPv6 routes.
 */
export function checkFaults(
  attachment: Attachment,
  port: PortState | null,
  observed: readonly string[],
  prevResult: unknown,
): readonly string[] {
  return [...portFaults(attachment, port), ...podFaults(attachment, observed), ...resultFaults(attachment, prevResult)];
}

function portFaults(attachment: Attachment, port: PortState | null): readonly string[] {
  if (port === null) return [`br-int has no port ${attachment.link}`];
  const faults: string[] = [];
  for (const [key, value] of Object.entries(interfaceIds(attachment)))
    if (port.externalIds[key] !== value)
      faults.push(`${port.name} has ${key} ${port.externalIds[key] ?? 'not set'}, not ${value}`);
  if (port.error !== null) faults.push(`Open vSwitch cannot use ${port.name}: ${port.error}`);
  else if (port.ofport === null || port.ofport < 0) faults.push(`Open vSwitch has not made ${port.name}`);
  if (!isInstalled(port)) faults.push(`OVN has not connected ${port.name}`);
  return faults;
}

function podFaults({ ifname, network, mtu }: Attachment, observed: readonly string[]): readonly string[] {
  const [links = [], ...routes] = observed.map(listIn);
  const link = links.find(({ ifname: name }) => name === ifname);
  if (link === undefined) return [`the pod has no interface ${ifname}`];
  const faults: string[] = [];
  if (!Array.isArray(link.flags) || !link.flags.includes('UP')) faults.push(`${ifname} is not up`);
  if (link.address !== network.mac) faults.push(`${ifname} has MAC ${String(link.address)}, not ${network.mac}`);
  if (link.mtu !== mtu) faults.push(`${ifname} has MTU ${String(link.mtu)}, not ${mtu}`);
  const has = (Array.isArray(link.addr_info) ? link.addr_info : []).map(
    ({ local, prefixlen }: Readonly<Record<string, unknown>>) => `${String(local)}/${String(prefixlen)}`,
  );
  for (const address of network.addresses)
    if (!has.includes(address)) faults.push(`${ifname} has no address ${address}`);
  const ways = routes.flat().map(({ dst, gateway }) => `${String(dst)} via ${String(gateway)}`);
  const wanted = [
    ...network.routes.map(({ destination, nextHop }) => `${destination} via ${nextHop}`),
    ...network.gateways.map((gateway) => `default via ${gateway}`),
  ];
  for (const way of wanted) if (!ways.includes(way)) faults.push(`the pod has no route ${way}`);
  return faults;
}

/**
 * Compares the pod's interface and addresses with the result of ADD, which the runtime passes to CHECK. Returns a
 * sentence if the result lacks the interface, and one for each address that it lacks. Other plug-ins of the same
 * network configuration may have added entries to the result, but must not have removed any.
 */
function resultFaults({ network, ifname }: Attachment, prevResult: unknown): readonly string[] {
  const { ips, interfaces } = (prevResult ?? {}) as Readonly<Record<string, unknown>>;
  const named = listOf(interfaces).some(({ name, mac }) => name === ifname && mac === network.mac);
  const addresses = listOf(ips).map(({ address }) => address);
  return [
    ...(named ? [] : [`the result of ADD has no ${ifname} with MAC ${network.mac}`]),
    ...network.addresses
      .filter((address) => !addresses.includes(address))
      .map((address) => `the result of ADD has no address ${address}`),
  ];
}

type Item = Readonly<Record<string, unknown>>;

function listIn(text: string): readonly Item[] {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return [];
  }
}

function listOf(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}
