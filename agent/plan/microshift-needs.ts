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
 * What MicroShift needs of a node so that a br-ex with a NIC makes no difference to it. How it looks for the node is in microshift-address.ts.
 */

/**
 * Returns the configuration with the networks that MicroShift takes on this node: those of a node that has only IPv6 are others where nothing is
 * set. Whoever judges a node and whoever plans it starts from this one.
 */
export function configOnNode(config: Config, host: HostNetwork): Config {
  const { nodeIp } = microshiftAddresses(config.cluster, host);
  return { ...config, cluster: rangesForAddress(config.cluster, nodeIp) };
}

/** What MicroShift needs of lo. */
export interface LoopbackNeeds {
  /** Addresses, as `address/prefix`. */
  readonly addresses: readonly string[];
  /** MicroShift takes another address of br-ex first, so that it has to be led to lo (model/signpost.ts). */
  readonly signpost: boolean;
}

/**
 * Returns the addresses that MicroShift needs on lo while br-ex has them, because it passes br-ex over (rules 1 and 3):
 *
 * - the address that it would take for the node's without the bridge, where that is one of the uplink's. With a default route through br-ex it
 *   finds the address there, too, but not any more once that route goes, which it does not survive;
 * - with both families and without node.nodeIPv6, the node's first IPv6 address: the first that rule 6 meets since 4.19, and not an address of
 *   MicroShift's own.
 *
 * An IPv6 address that lo has already stays while it is one of the uplink's: the observation has them in no order that could be relied on.
 * With IPv6 alone and without node.nodeIP, lo has to be where MicroShift looks first, too: it takes the address that it puts on br-ex itself for
 * the node's else (rule 5).
 *
 * MicroShift's own documentation does the same for a node without network (docs/user/howto_test_offline.md). `host`: with all other bridges undone. `uplink`: null for a br-ex without
 * a NIC, which takes no address away from where MicroShift looks.
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

/** Addresses with the IPv6 addresses that lo has in front. */
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
 * What is wrong with an ingress.listenAddress that names the uplink of a bridge: MicroShift's router takes the addresses of the named interface, and
 * listens nowhere, without an error, when it has none (pkg/loadbalancerservice/router.go:96-117). null: it does not name it.
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
 * Addresses, as `address/prefix`, that MicroShift takes for its API server and puts on br-ex when it starts, unless it was told one: those behind the
 * services' networks (pkg/config/config.go, firstIPFromNextSubnet; pkg/node/netconfig.go).
 */
export function advertisedAddresses({ serviceNetwork }: Pick<ClusterConfig, 'serviceNetwork'>): readonly string[] {
  return addressesAfter(serviceNetwork.value).map(single);
}

/**
 * Addresses that a br-ex without a NIC gets from its own profile: the same, where MicroShift does not put them there. ovnkube ends on a br-ex
 * that has none (ovn-kubernetes, go-controller/pkg/node/gateway_init.go, getNetworkInterfaceIPAddresses).
 */
export function addressesWithoutUplink(
  cluster: Pick<ClusterConfig, 'serviceNetwork' | 'advertiseAddress'>,
  hasMicroShift: boolean,
): readonly string[] {
  return hasMicroShift && cluster.advertiseAddress.value === null ? [] : advertisedAddresses(cluster);
}
