import type { OverlayPort, PortRequest } from '../../model/overlay-port.ts';
import { isIpv6, macOf } from '../addresses.ts';

/** Returns true if a port has exactly the requested properties, so that the request changes nothing. */
export function isSamePort(request: PortRequest, port: OverlayPort): boolean {
  const textOf = ({ name, node, interface: device, vlan, namespace, labels }: PortRequest | OverlayPort): string =>
    JSON.stringify([
      [name, node, device, vlan, namespace],
      Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]);
  return textOf(request) === textOf(port) && hasMacs(request, port) && hasAddresses(request, port);
}

function hasMacs({ macs }: PortRequest, { hosts }: OverlayPort): boolean {
  const wanted = macs.length > 0 ? macs : hosts.slice(0, 1).map(({ addresses }) => macOf(addresses[0] ?? ''));
  return String(wanted) === String(hosts.map(({ mac }) => mac));
}

/**
 * Returns true if the port has the requested addresses. If a request names no address of a family, every address of
 * this family fits.
 */
function hasAddresses({ addresses }: PortRequest, { hosts }: OverlayPort): boolean {
  const own = hosts.flatMap((host) => host.addresses);
  return [true, false].every((isSix) => {
    const [asked, has] = [addresses, own].map((list) => list.filter((one) => isIpv6(one) === isSix));
    return asked?.length === 0 || String(asked) === String(has);
  });
}
