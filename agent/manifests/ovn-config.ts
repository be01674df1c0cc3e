import { AgentError } from '../errors.ts';
import type { Config } from '../model/config.ts';
import { type Flavor, flavorTraits } from '../model/manifest-flavors.ts';
import { familyOf } from '../net/address.ts';

/** Default ports of OVN's databases (ovn-ctl(8)). */
const databasePorts = { northbound: 6641, southbound: 6642 } as const;
const apiServerPort = 6443;

/**
 * Returns the settings that all nodes of a cluster share: the addresses of the databases and of the API server, and the
 * ranges of addresses. In a flavour in which every node is a zone, the databases of each node are at the sockets of
 * ovn-ctl.
 */
export function ovnConfigData(config: Config, flavor: Flavor, controlPlane: string | null): Record<string, string> {
  const address = controlPlane ?? config.cluster.nodeIp.value;
  if (address === null) {
    throw new AgentError('config-invalid', `the flavour ${flavor} needs the address of the control plane`, {
      hint: 'set node.nodeIP in config.yaml or give it with --control-plane',
    });
  }
  const family = familyOf(address);
  if (family === null) {
    throw new AgentError('config-invalid', `${JSON.stringify(address)} is not an IP address`, {
      hint: 'give --control-plane the address of the node with the API server, as in 192.0.2.10',
    });
  }
  const host = family === 6 ? `[${address}]` : address;
  const { northbound, southbound } = databasePorts;
  const databases =
    flavorTraits[flavor].databases === 'central'
      ? { OvnNorth: `tcp:${host}:${northbound}`, OvnSouth: `tcp:${host}:${southbound}` }
      : { OvnNorth: 'unix:/run/ovn/ovnnb_db.sock', OvnSouth: 'unix:/run/ovn/ovnsb_db.sock' };
  return {
    ...databases,
    k8s_apiserver: `https://${host}:${apiServerPort}`,
    net_cidr: config.cluster.clusterNetwork.value.join(','),
    svc_cidr: config.cluster.serviceNetwork.value.join(','),
  };
}
