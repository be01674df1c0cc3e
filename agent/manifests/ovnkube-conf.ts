import type { Config } from '../model/config.ts';
import { namespaceName } from '../model/kubernetes/object.ts';
import { type Flavor, flavorTraits } from '../model/manifest-flavors.ts';

/**
 * API server on the node itself. The service address works only after the network does, so it cannot be used to set up
 * the network.
 */
const localApiServer = 'https://localhost:6443';

type Section = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the text of ovnkube.conf. In the flavours multi-node and interconnect, the addresses of the API server and of
 * the databases, and the ranges of the cluster, are in the ConfigMap ovn-config instead. With `mtu: auto`, the
 * container reads the MTU of its own node. The text therefore does not depend on the node where it is rendered.
 */
export function ovnkubeConf(config: Config, flavor: Flavor): string {
  const { clusterNetwork, serviceNetwork } = config.cluster;
  const { databases } = flavorTraits[flavor];
  const isSingleNode = databases === 'own';
  return configText({
    default: {
      mtu: config.mtu.value === 'auto' ? undefined : config.mtu.value,
      'cluster-subnets': isSingleNode ? clusterNetwork.value.join(',') : undefined,
      'encap-port': 6081,
      // Time in milliseconds after which an idle database connection is probed. A connection whose probe is not
      // answered is closed. The time is long, because a small node that is busy with the start of pods answers late.
      'inactivity-probe': 180_000,
      // The cache of logical flows is off, because memory is scarcer than the CPU time to compute a flow again.
      'enable-lflow-cache': false,
      'lflow-cache-limit-kb': 870,
    },
    kubernetes: {
      // The token and the CA of the API server are not set: ovnkube reads those of its service account.
      apiserver: isSingleNode ? localApiServer : undefined,
      'service-cidrs': isSingleNode ? serviceNetwork.value.join(',') : undefined,
      'ovn-config-namespace': namespaceName,
      'host-network-namespace': 'openshift-host-network',
      'platform-type': 'BareMetal',
    },
    logging: { 'acl-logging-rate-limit': 20 },
    ovnkubernetesfeature: {
      // `enable-interconnect` makes each node a zone. Since May 2026, ovn-kubernetes has no other mode.
      'enable-interconnect': databases === 'zone' ? true : undefined,
      'enable-egress-ip': false,
      'enable-egress-firewall': false,
      'enable-egress-qos': false,
    },
    gateway: {
      mode: 'local',
      interface: 'br-ex',
      nodeport: true,
      'disable-snat-multiple-gws': true,
      // `allow-no-uplink` permits br-ex without an uplink, because the uplink may be added or removed at any time.
      // ovnkube uses an uplink if br-ex has one.
      'allow-no-uplink': true,
    },
    // The durations of the leader election are in seconds. They are long, because the only candidate must not lose the
    // lease when the disk is slow. ovnkube.sh uses the same values for --init-master.
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
