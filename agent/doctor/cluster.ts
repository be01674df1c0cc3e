import { microshiftRenders } from '../model/config.ts';
import { trustedZone } from '../model/firewall.ts';
import type { DaemonSetState } from '../model/manifests.ts';
import { planFirewall } from '../plan/tuning/firewall.ts';
import { type Check, failed, given, notApplicable, ok, verdictOf, warning } from './finding.ts';

const nodePortChain = 'OVN-KUBE-NODEPORT';

/** Whether traffic of pods and services gets through. */
export const clusterChecks: readonly Check[] = [
  {
    id: 'firewall',
    title: 'firewalld lets traffic of pods through',
    judge: ({ firewall }, { config }) =>
      given(firewall, (zone) => {
        if (zone === null)
          return notApplicable('firewalld does not run; if something else filters: microshift-net firewall check');
        const { addRunning, addPermanent, wanted } = planFirewall(config, zone);
        const why = (source: string): string => wanted.find((entry) => entry.source === source)?.why ?? '';
        return verdictOf(
          [
            ...addRunning.map((source) => {
              const what = `zone ${trustedZone} does not have ${source} (${why(source)}): it is dropped`;
              return failed(what, 'microshift-net firewall apply');
            }),
            ...addPermanent
              .filter((source) => !addRunning.includes(source))
              .map((source) => {
                const what = `zone ${trustedZone} has ${source} (${why(source)}) only until firewalld starts again`;
                return warning(what, 'microshift-net firewall apply');
              }),
          ],
          `zone ${trustedZone} has ${wanted.map((entry) => entry.source).join(', ')}`,
        );
      }),
  },
  {
    id: 'nodeport',
    title: 'NodePort services are reachable',
    judge: ({ packetFilter, daemonSets }, { hasOvnKubernetes }) =>
      given(packetFilter, ({ natChains, nftTables }) => {
        if (!hasOvnKubernetes)
          return notApplicable(
            'ovn-kubernetes has not been set up here: there is no bridge br-int, or an overlay has it',
          );
        if (nftTables?.some((table) => table.includes('ovn-kubernetes')) === true && natChains?.length === 0)
          return ok('ovn-kubernetes has its rules in nftables');
        if (natChains === null) return notApplicable('iptables-save is not there, or may not look');
        const chain = natChains.find((entry) => entry.name === nodePortChain && entry.family === 4);
        const restart =
          'kubectl -n openshift-ovn-kubernetes delete pod -l app=ovnkube-master, which inserts the rules again';
        // Without a cluster that says so, the pods may just not have started yet.
        const complain = daemonSets.value == null ? warning : failed;
        if (chain === undefined)
          return complain(`the NAT table has no chain ${nodePortChain}; a reload of the firewall removes it`, restart);
        const missing = ['PREROUTING', 'OUTPUT'].filter((name) => !chain.from.includes(name));
        return verdictOf(
          missing.map((name) => complain(`nothing leads from ${name} to ${nodePortChain} in the NAT table`, restart)),
          `${nodePortChain} has ${chain.rules} rules`,
        );
      }),
  },
  {
    id: 'daemonsets',
    title: 'the daemonsets of ovn-kubernetes run',
    judge: ({ daemonSets }, { config }) => {
      // `manifests` sees only what it has put there.
      const isOurs = !microshiftRenders(config);
      const look = isOurs
        ? 'microshift-net manifests status'
        : 'kubectl -n openshift-ovn-kubernetes describe daemonsets,pods';
      if (daemonSets.failure !== null) {
        const { message, hint } = daemonSets.failure;
        return warning(message, hint ?? look);
      }
      if (daemonSets.value === null) return notApplicable('this node has no kubeconfig');
      if (daemonSets.value.length === 0)
        return warning(
          'the cluster has no daemonset in openshift-ovn-kubernetes',
          isOurs
            ? 'microshift-net manifests apply'
            : 'journalctl -b -u microshift, which puts its own there when it starts',
        );
      const readyOf = ({ name, ready, desired }: DaemonSetState): string => `${name}: ${ready} of ${desired} ready`;
      return verdictOf(
        daemonSets.value.map((state) => {
          const waiting = state.containers.filter((container) => container.notReady !== null);
          const reasons = waiting.map((container) => `${container.name}: ${container.notReady}`);
          return !state.rolledOut && failed([readyOf(state), ...reasons].join('; '), look);
        }),
        ...daemonSets.value.map(readyOf),
      );
    },
  },
];
