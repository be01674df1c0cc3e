import { type ClusterConfig, isDualStack } from '../model/config.ts';
import { addressesOf, isLoopback } from '../model/observation.ts';
import {
  advertisedAddresses,
  type HostNetwork,
  ingressFault,
  microshiftAddresses,
  otherSpelling,
} from '../plan/microshift-address.ts';
import { gatewayBridge } from '../plan/names.ts';
import { advice, type Check, type Finding, failed, given, notApplicable, verdictOf, warning } from './finding.ts';
import { unitNamed } from './units.ts';

/** Whether MicroShift's own configuration works on a node with br-ex. */
export const microshiftChecks: readonly Check[] = [
  {
    id: 'microshift-node-ip',
    title: "MicroShift finds the node's addresses",
    judge: ({ units, network }, { config }) =>
      given(units, () =>
        given(network, (host) => {
          const unit = unitNamed(units, 'microshift.service');
          if (unit?.load !== 'loaded') return notApplicable('there is no microshift.service');
          const { nodeIp } = microshiftAddresses(config.cluster, host);
          const complaints = [
            nodeIpComplaint(config.cluster, host),
            nodeIpv6Complaint(config.cluster, host),
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

function nodeIpComplaint(cluster: ClusterConfig, host: HostNetwork): Finding | false {
  const { value: wanted, source } = cluster.nodeIp;
  const { nodeIp: found } = microshiftAddresses(cluster, host);
  const bridge = host.links.find((link) => link.name === gatewayBridge.bridge);
  const onBridge = bridge?.addresses.filter((entry) => entry.scope === 'global').map((entry) => entry.address) ?? [];
  if (wanted !== null) {
    if (found !== null) return false;
    if (onBridge.includes(wanted))
      return failed(
        `node.nodeIP ${wanted} (${source}) is on br-ex and nowhere else: MicroShift 4.14 and later passes br-ex over, does not find it, and restarts every 7 s`,
        'microshift-net apply',
        'systemctl restart microshift',
        advice(`or remove node.nodeIP from ${fileOf(source)}, where a default route leads through br-ex`),
      );
    return nowhere('node.nodeIP', wanted, source, host);
  }
  const [own] = onBridge;
  if (own === undefined || (found !== null && onBridge.includes(found))) return false;
  const what = found === null ? 'finds no address, and does not run' : `takes ${found} for the node's address`;
  return failed(
    `no default route leads to an address of the node, and without one MicroShift passes br-ex over: it ${what}`,
    'microshift-net apply && systemctl restart microshift # once the profile of the NIC has a default route',
    `${onLoopback(own)} && systemctl restart microshift # or without one`,
  );
}

/** An address that MicroShift is told of, and finds on no interface. */
function nowhere(key: string, address: string, source: string, host: HostNetwork): Finding {
  const spelling = otherSpelling(address, host);
  if (spelling !== null)
    return failed(
      `${key} ${address} (${source}) is not found, because MicroShift compares it as text with ${spelling}, as the node has it: MicroShift does not run`,
      advice(`write ${key}: ${spelling} in ${fileOf(source)}`),
    );
  return failed(
    `${key} ${address} (${source}) is on no interface: MicroShift does not run`,
    advice(`correct ${key} in ${fileOf(source)}, or give the node that address`),
  );
}

/** As MicroShift's own documentation gives a node without network an address (docs/user/howto_test_offline.md). */
function onLoopback(address: string): string {
  return `ip address add ${address}/${address.includes(':') ? 128 : 32} dev lo`;
}

function nodeIpv6Complaint(cluster: ClusterConfig, host: HostNetwork): Finding | false {
  const { clusterNetwork, nodeIpv6 } = cluster;
  const bridge = host.links.find((link) => link.name === gatewayBridge.bridge);
  if (!isDualStack(cluster) || bridge === undefined) return false;
  if (nodeIpv6.value !== null) {
    if (microshiftAddresses(cluster, host).nodeIpv6 !== null) return false;
    return nowhere('node.nodeIPv6', nodeIpv6.value, nodeIpv6.source, host);
  }
  const { nodeIpv6: found } = microshiftAddresses(cluster, host);
  const isOnLoopback = host.links.some(
    (link) => isLoopback(link) && link.addresses.some(({ address }) => address === found),
  );
  if (isOnLoopback && bridge.addresses.some(({ address }) => address === found)) return false;
  const own = bridge.addresses.find(
    (entry) => entry.family === 6 && entry.scope === 'global' && entry.prefixLength < 128,
  );
  return failed(
    `the cluster network has both families (${clusterNetwork.source}), and node.nodeIPv6 is not set: MicroShift takes the first IPv6 address it finds, and restarts for ever once that is its own on br-ex`,
    'microshift-net apply # gives lo the address, for MicroShift 4.19 and later',
    `systemctl restart microshift # or, for each version, once ${fileOf(clusterNetwork.source)} has node.nodeIPv6: ${own?.address ?? "the node's address"}`,
  );
}

/** An address that the admin names has to be there already (pkg/config/config.go:597, 814-830). */
function advertiseComplaint({ advertiseAddress }: ClusterConfig, { links }: HostNetwork): Finding | false {
  const { value, source } = advertiseAddress;
  if (value === null || links.some((link) => link.addresses.some((entry) => entry.address === value))) return false;
  return failed(
    `apiServer.advertiseAddress ${value} (${source}) is on no interface: MicroShift does not start`,
    advice(`remove it from ${fileOf(source)}: MicroShift then puts one of its own on br-ex`),
  );
}

/** MicroShift puts it on br-ex when it starts, and does not look again (pkg/node/netconfig.go). */
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

/** The file of `/etc/microshift/config.yaml:3`. */
function fileOf(source: string): string {
  return source.replace(/:\d+$/, '');
}
