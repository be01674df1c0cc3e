import { type Config, tunnelFlavors } from '../model/config.ts';
import type { Flavor } from './flavor.ts';
import { namespaceName } from './object.ts';

/** The API server beside the pods. The service address works only once the network does, so it cannot be used to make it. */
const localApiServer = 'https://localhost:6443';

type Section = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The text of ovnkube.conf. What several nodes must agree on comes from the ConfigMap ovn-config instead (multi-node, interconnect), and
 * with `mtu: auto` the container looks at its own node: nothing in here depends on where it is rendered.
 */
export function ovnkubeConf(config: Config, flavor: Flavor): string {
  const { clusterNetwork, serviceNetwork } = config.cluster;
  const isSingleNode = !tunnelFlavors.includes(flavor);
  return configText({
    default: {
      mtu: config.mtu.value === 'auto' ? undefined : config.mtu.value,
      'cluster-subnets': isSingleNode ? clusterNetwork.value.join(',') : undefined,
      'encap-port': 6081,
      // Milliseconds: a small node that is busy starting pods must not lose its database connections.
      'inactivity-probe': 180_000,
      // Memory is scarcer than the time to compute a flow again.
      'enable-lflow-cache': false,
      'lflow-cache-limit-kb': 870,
    },
    kubernetes: {
      // The account's token and CA are found by ovnkube itself.
      apiserver: isSingleNode ? localApiServer : undefined,
      'service-cidrs': isSingleNode ? serviceNetwork.value.join(',') : undefined,
      'ovn-config-namespace': namespaceName,
      'host-network-namespace': 'openshift-host-network',
      'platform-type': 'BareMetal',
    },
    logging: { 'acl-logging-rate-limit': 20 },
    ovnkubernetesfeature: {
      // A zone per node; there is nothing else since May 2026.
      'enable-interconnect': flavor === 'interconnect' ? true : undefined,
      'enable-egress-ip': false,
      'enable-egress-firewall': false,
      'enable-egress-qos': false,
    },
    gateway: {
      mode: 'local',
      interface: 'br-ex',
      nodeport: true,
      'disable-snat-multiple-gws': true,
      // Whether br-ex has an uplink changes while ovnkube runs and between two runs; it takes the one there is.
      'allow-no-uplink': true,
    },
    // Seconds. The only candidate need not hurry; a slow disk must not cost it the lease. ovnkube.sh has the same for --init-master.
    clustermgrha: { 'election-lease-duration': 137, 'election-renew-deadline': 107, 'election-retry-period': 26 },
  });
}

function configText(sections: Readonly<Record<string, Section>>): string {
  const blocks = Object.entries(sections).map(([name, section]) => {
    const lines = Object.entries(section).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
    return [`[${name}]`, ...lines, ''].join('\n');
  });
  return blocks.join('\n');
}
