import { leftBehindText, rulesLeftBehind, zoneLeftBehind } from '../plan/uplink/filter-notes.ts';
import { type Check, given, notApplicable, verdictOf, warning } from './finding.ts';

/**
 * Check for rules of the packet filter that still name the NIC of a bridge, although packets arrive through the bridge.
 */
export const interfaceRuleChecks: readonly Check[] = [
  {
    id: 'interface-rules',
    title: 'rules of the packet filter name br-ex where they name its NIC',
    judge: ({ network }, { plan }) =>
      given(network, (facts) => {
        const bridges = (plan?.wanted.bridges ?? []).flatMap(({ bridge, uplink }) =>
          uplink === null ? [] : [{ bridge, nic: uplink.interface }],
        );
        if (bridges.length === 0) return notApplicable('no NIC is in a bridge, or is to be');
        const zones = bridges.flatMap(({ bridge, nic }) => {
          const text = zoneLeftBehind(nic, bridge, undefined, facts);
          return text === null
            ? []
            : [
                warning(
                  text,
                  `firewall-cmd --zone=${facts.interfaceZones?.assigned[nic] ?? ''} --change-interface=${bridge} # if that zone is meant`,
                ),
              ];
        });
        return verdictOf(
          [
            ...zones,
            ...bridges.flatMap(({ bridge, nic }) =>
              rulesLeftBehind(nic, bridge, facts).map((rules) =>
                warning(
                  leftBehindText(nic, bridge, rules),
                  `nft -a list chain ${rules.table} ${rules.chain} # add ${bridge}`,
                ),
              ),
            ),
          ],
          'no rule of nftables names a NIC and not its bridge',
        );
      }),
  },
];
