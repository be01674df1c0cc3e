import { devicesIn } from '../model/bridge-devices.ts';
import { addressesOf, type Link, type Observation, type OvsInterface, type Route } from '../model/observation.ts';
import { isDefault } from '../net/destination.ts';

/** A requirement of ovn-kubernetes that a manually built bridge lacks, with the command that adds it. */
export interface MissingPart {
  readonly what: string;
  readonly fix: string;
}

const bridge = 'br-ex';

/**
 * Returns the requirements of ovn-kubernetes that a manually built br-ex does not meet. The bridge must exist and be
 * up. It must have one uplink, which is its only port with a device, or the port that the external id bridge-uplink
 * names. Open vSwitch must have opened each device. The node's address must be on the bridge and on none of its
 * devices, and a default route must lead through the bridge. With `withoutUplink`, the bridge needs neither an uplink,
 * nor an address, nor a default route.
 */
export function missingFromBridge(
  { ovs, links, routes }: Pick<Observation, 'ovs' | 'links' | 'routes'>,
  withoutUplink: boolean,
): readonly MissingPart[] {
  const row = ovs.bridges.find((entry) => entry.name === bridge);
  if (row === undefined) return [{ what: `the bridge ${bridge} does not exist`, fix: `ovs-vsctl add-br ${bridge}` }];
  const devices = devicesIn(row);
  const link = links.find((entry) => entry.name === bridge);
  return [
    ...missingFromUplink(devices, row.externalIds['bridge-uplink'], withoutUplink),
    ...devices.flatMap(missingFromDevice),
    ...(link?.up === true ? [] : [{ what: `${bridge} is down`, fix: `ip link set ${bridge} up` }]),
    ...(withoutUplink ? [] : missingFromAddress(link, devices, links, routes)),
  ];
}

function missingFromUplink(
  devices: readonly OvsInterface[],
  named: string | undefined,
  withoutUplink: boolean,
): readonly MissingPart[] {
  if (named !== undefined) {
    const what = `external-id bridge-uplink names ${named}, which is not a port of ${bridge}`;
    const isPort = devices.some((entry) => entry.name === named);
    return isPort ? [] : [{ what, fix: `ovs-vsctl add-port ${bridge} ${named}` }];
  }
  if (devices.length === 1 || (devices.length === 0 && withoutUplink)) return [];
  if (devices.length === 0) {
    const fix = `ovs-vsctl add-port ${bridge} NIC # the NIC with the node's address; a session over it ends`;
    return [{ what: `${bridge} has no NIC`, fix }];
  }
  const names = devices.map((entry) => entry.name).join(', ');
  const fix = `ovs-vsctl br-set-external-id ${bridge} bridge-uplink NIC`;
  return [{ what: `${bridge} has more than one device (${names}) and nothing says which is the uplink`, fix }];
}

function missingFromDevice(entry: OvsInterface): readonly MissingPart[] {
  if (entry.error === null && (entry.ofport ?? 0) > 0) return [];
  const what = `Open vSwitch does not carry ${entry.name}: ${entry.error ?? 'it has no port number'}`;
  return [{ what, fix: `ip link show ${entry.name}; journalctl -u ovs-vswitchd` }];
}

function missingFromAddress(
  link: Link | undefined,
  devices: readonly OvsInterface[],
  links: readonly Link[],
  routes: readonly Route[],
): readonly MissingPart[] {
  const addresses = globalAddresses(link);
  const left = devices.flatMap(({ name: device }) =>
    globalAddresses(links.find((entry) => entry.name === device)).map((address) => ({ address, device })),
  );
  const add = `ip address add ${left[0]?.address ?? 'ADDRESS/LENGTH'} dev ${bridge}`;
  const hasDefault = routes.some((route) => route.device === bridge && isDefault(route.destination));
  const defaultRoute = `ip route add default via GATEWAY dev ${bridge}`;
  return [
    ...(addresses.length > 0 ? [] : [{ what: `${bridge} has no address`, fix: add }]),
    ...left.map(({ address, device }) => ({
      what: `${address} is still on ${device}, whose packets go to ${bridge} now`,
      fix: `ip address delete ${address} dev ${device}`,
    })),
    ...(hasDefault ? [] : [{ what: `no default route goes through ${bridge}`, fix: defaultRoute }]),
  ];
}

function globalAddresses(link: Link | undefined): readonly string[] {
  return addressesOf(link, (entry) => entry.scope === 'global');
}
