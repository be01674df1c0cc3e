import { type ClusterConfig, isDualStack } from '../model/config.ts';
import { gatewayBridge } from '../model/names.ts';
import { addressesOf, isLoopback } from '../model/observation.ts';
import {
  type HostNetwork,
  microshiftAddresses,
  otherSpelling,
  type Uplink,
  withoutBridge,
} from '../plan/microshift-address.ts';
import { advertisedAddresses, ingressFault } from '../plan/microshift-needs.ts';
import type { Diagnosis } from './diagnosis.ts';
import { advice, type Check, type Finding, failed, given, notApplicable, verdictOf, warning } from './finding.ts';
import { unitNamed } from './unit-checks.ts';

/** Checks of MicroShift's own configuration on a node with br-ex. */
export const microshiftChecks: readonly Check[] = [
  {
    id: 'microshift-node-ip',
    title: "MicroShift finds the node's addresses",
    judge: ({ units, network }, diagnosis) =>
      given(units, () =>
        given(network, (host) => {
          const unit = unitNamed(units, 'microshift.service');
          if (unit?.load !== 'loaded') return notApplicable('microshift.service does not exist');
          const { config, carried } = diagnosis;
          const { nodeIp } = microshiftAddresses(config.cluster, host);
          const complaints = [
            nodeIpComplaint(host, diagnosis),
            nodeIpv6Complaint(config.cluster, host, carried),
            advertiseComplaint(config.cluster, host),
            unit.active === 'active' && lostEndpointComplaint(config.cluster, host),
          ];
          return verdictOf(complaints, `MicroShift takes ${nodeIp} for the node's`);
        }),
      ),
  },
  {
    id: 'microshift-ingress',
    title: "MicroShift's router listens on an address",
    judge: (_, { config, plan, uplink }) => {
      const { value, source } = config.cluster.listenAddresses;
      const planned = plan?.wanted.bridges.map((bridge) => [bridge.uplink?.interface ?? null, bridge.bridge] as const);
      const uplinks = planned ?? [[uplink, gatewayBridge.bridge] as const];
      const faults = uplinks.map(([nic, bridge]) => {
        const fault = nic === null ? null : ingressFault(config.cluster, nic, bridge);
        return fault !== null && warning(fault, `systemctl restart microshift # after a change of ${fileOf(source)}`);
      });
      return verdictOf(faults, `it listens on ${value.length === 0 ? 'every interface' : value.join(', ')}`);
    },
  },
];

/**
 * Returns a complaint if MicroShift finds no address of the node, or finds another address than it would find without
 * br-ex; false otherwise.
 */
function nodeIpComplaint(host: HostNetwork, { config: { cluster }, carried, plan }: Diagnosis): Finding | false {
  const { value: wanted, source } = cluster.nodeIp;
  const { nodeIp: found } = microshiftAddresses(cluster, host);
  if (wanted !== null) {
    if (found !== null) return false;
    if (carried?.addresses.includes(wanted) !== true) return nowhere('node.nodeIP', wanted, source, host);
    return failed(
      `node.nodeIP ${wanted} (${source}) is on br-ex and nowhere else: MicroShift 4.14 and later passes br-ex over, does not find it, and restarts every 7 s`,
      'microshift-net apply',
      'systemctl restart microshift',
      advice(`or remove node.nodeIP from ${fileOf(source)}, where a default route leads through br-ex`),
    );
  }
  const own = carried === null ? found : microshiftAddresses(cluster, withoutBridge(host, carried)).nodeIp;
  if (own === null)
    return failed(
      'no interface has an address that MicroShift could take for the node: it does not start',
      advice('give the node an address'),
      'systemctl restart microshift',
    );
  if (found === own) return false;
  const what = found === null ? 'finds no address, and does not start' : `takes ${found} for the node's address`;
  return failed(
    `the node's address ${own} is on br-ex, where MicroShift does not find it, or not first: it ${what}`,
    plan?.outcome === 'change'
      ? 'microshift-net apply && systemctl restart microshift'
      : `microshift-net apply && systemctl restart microshift # once /etc/microshift/config.yaml has node.nodeIP: ${own}`,
  );
}

/** Returns the failure for an address in MicroShift's configuration that no interface has in the same spelling. */
function nowhere(key: string, address: string, source: string, host: HostNetwork): Finding {
  const spelling = otherSpelling(address, host);
  if (spelling !== null)
    return failed(
      `${key} ${address} (${source}) is not found, because MicroShift compares it as text with ${spelling}, as the node has it: MicroShift does not start`,
      advice(`write ${key}: ${spelling} in ${fileOf(source)}`),
    );
  return failed(
    `${key} ${address} (${source}) is on no interface: MicroShift does not start`,
    advice(`correct ${key} in ${fileOf(source)}, or give the node that address`),
  );
}

function nodeIpv6Complaint(cluster: ClusterConfig, host: HostNetwork, carried: Uplink | null): Finding | false {
  const { clusterNetwork, nodeIpv6 } = cluster;
  if (!isDualStack(cluster)) return false;
  const { nodeIpv6: found } = microshiftAddresses(cluster, host);
  if (nodeIpv6.value !== null) return found === null && nowhere('node.nodeIPv6', nodeIpv6.value, nodeIpv6.source, host);
  if (carried === null) return false;
  const isOnLoopback = host.links.some(
    (link) => isLoopback(link) && link.addresses.some(({ address }) => address === found),
  );
  if (isOnLoopback && found !== null && carried.addresses.includes(found)) return false;
  const own = carried.addresses.find((address) => address.includes(':'));
  return failed(
    `the cluster network has both families (${clusterNetwork.source}), and node.nodeIPv6 is not set: MicroShift takes the first IPv6 address it finds, and restarts for ever once that is its own on br-ex`,
    'microshift-net apply # gives lo the address, for MicroShift 4.19 and later',
    `systemctl restart microshift # or, for each version, once ${fileOf(clusterNetwork.source)} has node.nodeIPv6: ${own ?? "the node's address"}`,
  );
}

/**
 * Returns a complaint if no interface has the configured address of the API server. MicroShift does not add a
 * configured address to an interface (pkg/config/config.go:597, 814-830).
 */
function advertiseComplaint({ advertiseAddress }: ClusterConfig, { links }: HostNetwork): Finding | false {
  const { value, source } = advertiseAddress;
  if (value === null || links.some((link) => link.addresses.some((entry) => entry.address === value))) return false;
  return failed(
    `apiServer.advertiseAddress ${value} (${source}) is on no interface: MicroShift does not start`,
    advice(`remove it from ${fileOf(source)}: MicroShift then puts one of its own on br-ex`),
  );
}

/**
 * Returns a complaint if no interface has the default address of the API server. MicroShift adds this address to br-ex
 * only when MicroShift starts (pkg/node/netconfig.go).
 */
function lostEndpointComplaint(cluster: ClusterConfig, { links }: HostNetwork): Finding | false {
  if (cluster.advertiseAddress.value !== null) return false;
  const present = links.flatMap((link) => addressesOf(link));
  const [lost] = advertisedAddresses(cluster).filter((address) => !present.includes(address));
  if (lost === undefined) return false;
  return failed(
    `${lost}, where MicroShift's API server is to be reached by pods, is on no interface: MicroShift adds it only when it starts`,
    'systemctl restart microshift',
  );
}

/** Returns the file of a source such as `/etc/microshift/config.yaml:3`. */
function fileOf(source: string): string {
  return source.replace(/:\d+$/, '');
}
