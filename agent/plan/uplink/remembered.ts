import type { Link, Observation } from '../../model/observation.ts';
import { gatewayBridge } from '../names.ts';
import { shownName, word } from './trace.ts';
import { uplinkInBridge } from './uplink-in-bridge.ts';

/** An interface that somebody or something names as the uplink. */
export interface Candidate {
  readonly name: string;
  readonly source: string;
}

export const hintPath = '/var/lib/ovnk/iface_default_hint';

/** What earlier runs and the node-IP service left: candidates in the order they count, and what was found out about them. */
export function rememberedCandidates(observation: Observation): {
  readonly candidates: readonly Candidate[];
  readonly trace: readonly string[];
} {
  const { nodeIp, interfaceHint } = observation.hints;
  const holders =
    nodeIp === null ? [] : observation.links.filter((link) => link.addresses.some((entry) => entry.address === nodeIp));
  // An address that two links have went to br-ex from the one chosen last time.
  const byAddress = holders.find((link) => link.name === gatewayBridge.bridge) ?? holders[0];
  const current = uplinkInBridge(gatewayBridge, observation);
  const owner = byAddress !== undefined && byAddress.name === gatewayBridge.bridge ? current : byAddress?.name;
  const renamed = interfaceHint === null ? null : newNameOf(interfaceHint, observation);
  const hinted = renamed?.name ?? interfaceHint;
  return {
    candidates: [
      ...(owner == null ? [] : [{ name: owner, source: `node IP hint ${nodeIp}` }]),
      ...(current === null ? [] : [{ name: current, source: 'the uplink br-ex has now' }]),
      ...(hinted === null ? [] : [{ name: hinted, source: hintPath }]),
    ],
    trace:
      renamed === null || interfaceHint === null
        ? []
        : [
            `hint=${shownName(interfaceHint)} source=${word(hintPath)} permanent-mac=${renamed.permanentMac} verdict=renamed interface=${renamed.name}`,
          ],
  };
}

/**
 * The NIC that had this name when it last carried br-ex, if its permanent MAC is to be found under another name now. Names change with
 * slots, firmware and kernels; a name that was passed on to another NIC would be the wrong one to follow.
 */
export function newNameOf(name: string, observation: Observation): Link | null {
  const { hintedNic } = observation.hints;
  if (hintedNic == null || hintedNic.interface !== name) return null;
  const holders = observation.links.filter(
    (link) => link.permanentMac?.toUpperCase() === hintedNic.permanentMac.toUpperCase(),
  );
  if (holders.some((link) => link.name === name)) return null;
  // A VLAN or macvlan may show the MAC of the NIC below it.
  return holders.find((link) => link.kind === null) ?? holders[0] ?? null;
}
