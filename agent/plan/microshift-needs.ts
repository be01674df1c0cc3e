import { rangesForAddress } from '../model/cluster-ranges.ts';
import { type ClusterConfig, type Config, isDualStack } from '../model/config.ts';
import { familyOf } from '../net/address.ts';
import { addressesAfter } from '../net/address-range.ts';
import {
  type HostNetwork,
  isGlobalUnicast,
  microshiftAddresses,
  type Uplink,
  withoutBridge,
} from './microshift-address.ts';

/*
 * Requirements of MicroShift for a node, so that a br-ex with a NIC makes no difference to MicroShift.
 * microshift-address.ts describes how MicroShift looks for the node.
 */

/**
 * Returns the configuration with the networks that MicroShift uses on this node: on a node with IPv6 alone, networks
 * that are not configured have other defaults. Checks of a node and plans for it both start from this configuration.
 */
export function configOnNode(config: Config, host: HostNetwork): Config {
  const { nodeIp } = microshiftAddresses(config.cluster, host);
  return { ...config, cluster: rangesForAddress(config.cluster, nodeIp) };
}

/** Requirements of MicroShift for lo. */
export interface LoopbackNeeds {
  /** Addresses that lo needs, as `address/prefix`. */
  readonly addresses: readonly string[];
  /**
   * True if MicroShift would find another address of br-ex first, so that the default route of model/signpost.ts has to
   * lead it to lo.
   */
  readonly signpost: boolean;
}

/**
 * Returns the addresses that MicroShift needs on lo while br-ex has them, because rules 1 and 3 of
 * microshift-address.ts ignore the addresses on br-ex:
 *
 * - The address that MicroShift would find for the node without the bridge, if it is an address of the uplink. Even if
 *   MicroShift finds the address on br-ex by a default route (rule 5), it would restart itself after the removal of
 *   that route.
 * - With both families and without node.nodeIPv6, the first IPv6 address of the node, which rule 6 finds since 4.19. It
 *   must not be an address that MicroShift added itself.
 *
 * An IPv6 address that lo already has counts as the first one while the uplink has it as well, because the observation
 * has IPv6 addresses in no reliable order. With IPv6 alone and without node.nodeIP, MicroShift must also look at lo
 * first, for which the signpost is needed. Otherwise it would find the address that it adds to br-ex itself (rule 5).
 *
 * MicroShift's own documentation also puts an address on lo, for a node without network
 * (docs/user/howto_test_offline.md). `host` is the node as if all other bridges had been removed. `uplink` is null for
 * a br-ex without a NIC, which hides no address from MicroShift.
 */
export function loopbackNeeds(
  cluster: Pick<ClusterConfig, 'nodeIp' | 'nodeIpv6' | 'clusterNetwork'>,
  host: HostNetwork,
  uplink: Uplink | null,
): LoopbackNeeds {
  if (uplink === null) return { addresses: [], signpost: false };
  const addresses = keptFirst(uplink.addresses.filter(isGlobalUnicast), host);
  const own = microshiftAddresses(cluster, withoutBridge(host, { ...uplink, addresses })).nodeIp;
  const ipv6 = isDualStack(cluster) && cluster.nodeIpv6.value === null ? addresses.find(isIpv6) : undefined;
  return {
    addresses: addresses.filter((address) => address === own || address === ipv6).map(single),
    signpost: cluster.nodeIp.value === null && own !== null && isIpv6(own) && addresses.includes(own),
  };
}

/** Returns the given addresses in another order: those IPv6 addresses that lo already has come first. */
function keptFirst(addresses: readonly string[], { links }: HostNetwork): readonly string[] {
  const onLoopback = links.filter((link) => link.name === 'lo').flatMap((link) => link.addresses);
  const isKept = (address: string): boolean => isIpv6(address) && onLoopback.some((entry) => entry.address === address);
  return [...addresses.filter(isKept), ...addresses.filter((address) => !isKept(address))];
}

function isIpv6(address: string): boolean {
  return familyOf(address) === 6;
}

function single(address: string): string {
  return `${address}/${familyOf(address) === 6 ? 128 : 32}`;
}

/**
 * Returns the fault of an ingress.listenAddress that names the uplink of a bridge: MicroShift's router uses the
 * addresses of the named interface. If that interface has no address, the router listens nowhere, without an error
 * (pkg/loadbalancerservice/router.go:96-117). Null if the setting does not name the uplink.
 */
export function ingressFault(
  { listenAddresses }: Pick<ClusterConfig, 'listenAddresses'>,
  uplink: string,
  bridge: string,
): string | null {
  if (!listenAddresses.value.includes(uplink)) return null;
  return `ingress.listenAddress (${listenAddresses.source}) names ${uplink}, which has no address while it is the uplink of ${bridge}: MicroShift's router does not listen there; name ${bridge}, or the address`;
}

/**
 * Returns the first addresses after the service networks, as `address/prefix`. Unless apiServer.advertiseAddress is
 * set, MicroShift uses these addresses for its API server, and adds them to br-ex when it starts (pkg/config/config.go,
 * firstIPFromNextSubnet; pkg/node/netconfig.go).
 */
export function advertisedAddresses({ serviceNetwork }: Pick<ClusterConfig, 'serviceNetwork'>): readonly string[] {
  return addressesAfter(serviceNetwork.value).map(single);
}

/**
 * Returns the addresses that a br-ex without a NIC gets from its own profile: the addresses of MicroShift's API server,
 * unless MicroShift adds them itself. ovnkube exits on a br-ex without an address (ovn-kubernetes,
 * go-controller/pkg/node/gateway_init.go, getNetworkInterfaceIPAddresses).
 */
export function addressesWithoutUplink(
  cluster: Pick<ClusterConfig, 'serviceNetwork' | 'advertiseAddress'>,
  hasMicroShift: boolean,
): readonly string[] {
  return hasMicroShift && cluster.advertiseAddress.value === null ? [] : advertisedAddresses(cluster);
}
