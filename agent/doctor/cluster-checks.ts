import { microshiftRenders } from '../model/config.ts';
import { trustedZone } from '../model/firewall.ts';
import type { DaemonSetState } from '../model/manifests.ts';
import { planFirewall } from '../plan/tuning/plan-firewall.ts';
import { advice, type Check, failed, given, notApplicable, verdictOf, warning } from './finding.ts';
import { kubectl, nodePortChecks } from './nodeport.ts';

/** Checks of the traffic of pods and services, and of the daemonsets of ovn-kubernetes. */
export const clusterChecks: readonly Check[] = [
  {
    id: 'firewall',
    title: 'firewalld lets traffic of pods through',
    judge: ({ firewall }, { config }) =>
      given(firewall, (zone) => {
        if (zone === null)
          return notApplicable('firewalld is not running; if something else filters: microshift-net firewall check');
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
  ...nodePortChecks,
  {
    id: 'daemonsets',
    title: 'the daemonsets of ovn-kubernetes run',
    judge: ({ daemonSets }, { config }) => {
      // `manifests status` shows only the objects that `manifests apply` has applied. It is therefore not suggested if
      // MicroShift applies its own objects.
      const isOurs = !microshiftRenders(config);
      const look = isOurs ? 'microshift-net manifests status' : `${kubectl} describe daemonsets,pods`;
      if (daemonSets.failure !== null) {
        const { message, hint } = daemonSets.failure;
        return warning(message, advice(hint) ?? look);
      }
      if (daemonSets.value === null) return notApplicable('this node has no kubeconfig');
      if (daemonSets.value.length === 0)
        return warning(
          'the cluster has no daemonset in openshift-ovn-kubernetes',
          isOurs
            ? 'microshift-net manifests apply'
            : 'journalctl -b -u microshift # it puts its own there when it starts',
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
