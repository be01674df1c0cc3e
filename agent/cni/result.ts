import { type Attachment, isIpv6 } from './attachment.ts';
import { type CniVersion, isAtLeast } from './cni-version.ts';

/**
 * Returns the result of ADD (CNI specification 1.1, "Success") in the form of the requested version. `dns` is copied
 * from the configuration.
 */
export function successResult(version: CniVersion, attachment: Attachment, dns: unknown): string {
  const { link, ifname, netns, network, mtu } = attachment;
  const mtuOf = isAtLeast(version, '1.1.0') ? { mtu } : {};
  const familyOf = (address: string): object =>
    isAtLeast(version, '1.0.0') ? {} : { version: isIpv6(address) ? '6' : '4' };
  const gatewayFor = (address: string): string | undefined =>
    network.gateways.find((gateway) => isIpv6(gateway) === isIpv6(address));
  return JSON.stringify({
    cniVersion: version,
    interfaces: [
      { name: link, ...mtuOf },
      { name: ifname, mac: network.mac, ...mtuOf, sandbox: netns },
    ],
    ips: network.addresses.map((address) => {
      const gateway = gatewayFor(address);
      return { ...familyOf(address), address, ...(gateway !== undefined && { gateway }), interface: 1 };
    }),
    routes: [
      ...network.routes.map(({ destination, nextHop }) => ({ dst: destination, gw: nextHop })),
      ...network.gateways.map((gateway) => ({ dst: isIpv6(gateway) ? '::/0' : '0.0.0.0/0', gw: gateway })),
    ],
    dns: dns ?? {},
  });
}
