import type { NatChain } from '../model/examination.ts';
import { microshiftKubeconfig } from '../model/manifests.ts';
import { type Check, failed, given, notApplicable, ok, verdictOf, warning } from './finding.ts';

/**
 * Command of kubectl for the namespace of ovn-kubernetes, with MicroShift's kubeconfig, because root has no default
 * cluster.
 */
export const kubectl = `kubectl --kubeconfig ${microshiftKubeconfig} -n openshift-ovn-kubernetes`;

const nodePortChain = 'OVN-KUBE-NODEPORT';

/**
 * Command that restarts the pod which writes the rules of NodePorts. The label of this pod depends on the flavour of
 * the manifests, so the command selects pods with either of two labels.
 */
const restart = `${kubectl} delete pod -l 'app in (ovnkube-master,ovnkube-node)'`;

const families = [
  { key: 'ipv4', name: 'IPv4', program: 'iptables-save' },
  { key: 'ipv6', name: 'IPv6', program: 'ip6tables-save' },
] as const;

/**
 * Check for the rules of NodePort services: one chain for each IP family of the pods' network (ovn-kubernetes,
 * go-controller/pkg/node/gateway_iptables.go, clusterIPTablesProtocols).
 */
export const nodePortChecks: readonly Check[] = [
  {
    id: 'nodeport',
    title: 'NodePort services are reachable',
    judge: ({ packetFilter, daemonSets }, { hasOvnKubernetes, config }) =>
      given(packetFilter, ({ natChains, nftTables }) => {
        if (!hasOvnKubernetes)
          return notApplicable(
            'ovn-kubernetes has not been set up here: the bridge br-int does not exist, or an overlay has it',
          );
        const networks = config.cluster.clusterNetwork.value;
        const wanted = families.filter(({ key }) => networks.some((cidr) => cidr.includes(':') === (key === 'ipv6')));
        const tables = wanted.flatMap(({ key, name }) => {
          const chains = natChains[key];
          if (chains === null) return [];
          return [{ name, isEmpty: chains.length === 0, chain: chains.find((entry) => entry.name === nodePortChain) }];
        });
        const unread = wanted
          .filter(({ key }) => natChains[key] === null)
          .map(({ program }) => `${program} is not installed, or is not permitted to read the rules`);
        if (tables.length === 0) return notApplicable(unread.join('; '));
        const isInNftables = nftTables?.some((table) => table.includes('ovn-kubernetes')) === true;
        if (isInNftables && tables.every(({ isEmpty }) => isEmpty))
          return ok('ovn-kubernetes has its rules in nftables');
        // A fault of the NodePort rules is only a warning if the cluster does not answer, because the pod that inserts
        // the rules may not have started yet.
        const complain = daemonSets.value == null ? warning : failed;
        return verdictOf(
          tables.flatMap(({ name, chain }) => faultsOf(name, chain).map((fault) => complain(fault, restart))),
          ...tables.map(({ name, chain }) => `${name}: ${nodePortChain} has ${chain?.rules} rules`),
          ...unread,
        );
      }),
  },
];

/**
 * Returns the faults of the chain with the rules of NodePorts, in the NAT table of an IP family; `chain` is undefined
 * if it does not exist.
 */
function faultsOf(family: string, chain: NatChain | undefined): readonly string[] {
  const whoMends = 'ovn-kubernetes inserts the rules again when its pods start';
  if (chain === undefined)
    return [
      `the NAT table of ${family} has no chain ${nodePortChain}; a reload of the firewall removes it, and ${whoMends}`,
    ];
  const missing = ['PREROUTING', 'OUTPUT'].filter((name) => !chain.from.includes(name));
  return missing.map(
    (name) => `nothing leads from ${name} to ${nodePortChain} in the NAT table of ${family}; ${whoMends}`,
  );
}
