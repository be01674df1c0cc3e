import type { Link, Observation, OvsInterface, Route } from '../model/observation.ts';

/** Something a bridge that was made by hand lacks for ovn-kubernetes, and the command that adds it. */
export interface MissingPart {
  readonly what: string;
  readonly fix: string;
}

const bridge = 'br-ex';

/**
 * What br-ex, made by hand, still lacks for ovn-kubernetes: it looks for the bridge, for one uplink in it (the only port that is a device, or
 * the one that external-id bridge-uplink names), and for the node's address on it.
 */
export function missingFromBridge(
  { ovs, links, routes }: Pick<Observation, 'ovs' | 'links' | 'routes'>,
  withoutUplink: boolean,
): readonly MissingPart[] {
  const row = ovs.bridges.find((entry) => entry.name === bridge);
  if (row === undefined) return [{ what: `there is no bridge ${bridge}`, fix: `ovs-vsctl add-br ${bridge}` }];
  const devices = row.ports.flatMap((port) => port.interfaces).filter(isDevice);
  const link = links.find((entry) => entry.name === bridge);
  return [
    ...missingFromUplink(devices, row.externalIds['bridge-uplink'], withoutUplink),
    ...devices.flatMap(missingFromDevice),
    ...(link?.up === true ? [] : [{ what: `${bridge} is down`, fix: `ip link set ${bridge} up` }]),
    ...(withoutUplink ? [] : missingFromAddress(link, devices, links, routes)),
  ];
}

function isDevice(entry: OvsInterface): boolean {
  return entry.type === '' || entry.type === 'system';
}

function missingFromUplink(
  devices: readonly OvsInterface[],
  named: string | undefined,
  withoutUplink: boolean,
): readonly MissingPart[] {
  if (named !== undefined && devices.some((entry) => entry.name === named)) return [];
  if (named !== undefined) {
    return [
      {
        what: `external-id bridge-uplink names ${named}, which is no port of ${bridge}`,
        fix: `ovs-vsctl add-port ${bridge} ${named}`,
      },
    ];
  }
  if (devices.length === 1 || (devices.length === 0 && withoutUplink)) return [];
  if (devices.length === 0) {
    const fix = `ovs-vsctl add-port ${bridge} NIC (the NIC with the node's address; a session over it ends)`;
    return [{ what: `${bridge} has no NIC`, fix }];
  }
  const names = devices.map((entry) => entry.name).join(', ');
  const fix = `ovs-vsctl br-set-external-id ${bridge} bridge-uplink NIC`;
  return [{ what: `${bridge} has more than one device (${names}) and nothing says which is the uplink`, fix }];
}

function missingFromDevice(entry: OvsInterface): readonly MissingPart[] {
  if (entry.error === null && (entry.ofport ?? 0) > 0) return [];
  const why = entry.error ?? 'it has no port number';
  return [
    {
      what: `Open vSwitch does not carry ${entry.name}: ${why}`,
      fix: `ip link show ${entry.name}; journalctl -u ovs-vswitchd`,
    },
  ];
}

function missingFromAddress(
  link: Link | undefined,
  devices: readonly OvsInterface[],
  links: readonly Link[],
  routes: readonly Route[],
): readonly MissingPart[] {
  const lacks: MissingPart[] = [];
  const global = (entry: Link | undefined): readonly string[] =>
    (entry?.addresses ?? [])
      .filter((address) => address.scope === 'global')
      .map((address) => `${address.address}/${address.prefixLength}`);
  const left = devices.flatMap((device) => {
    return global(links.find((entry) => entry.name === device.name)).map((address) => ({
      address,
      device: device.name,
    }));
  });
  if (global(link).length === 0) {
    const [first] = left;
    lacks.push({
      what: `${bridge} has no address`,
      fix: `ip address add ${first?.address ?? 'ADDRESS/LENGTH'} dev ${bridge}`,
    });
  }
  for (const { address, device } of left) {
    const what = `${address} is still on ${device}, whose packets go to ${bridge} now`;
    lacks.push({ what, fix: `ip address delete ${address} dev ${device}` });
  }
  if (!routes.some((route) => route.device === bridge && /^(0\.0\.0\.0|::)\/0$/.test(route.destination))) {
    lacks.push({
      what: `no default route goes through ${bridge}`,
      fix: `ip route add default via GATEWAY dev ${bridge}`,
    });
  }
  return lacks;
}
