import { portFaults } from '../compare/working-ports.ts';
import { bondsUnder } from '../model/bonds.ts';
import { linkKindOf } from '../model/link-kinds.ts';
import { advice, type Check, failed, notApplicable, verdictOf } from './finding.ts';

/**
 * Check of the bond or team of an uplink: one of its ports must work. The monitor of a bond must also work while the
 * bond is below a bridge.
 */
export const bondChecks: readonly Check[] = [
  {
    id: 'bond',
    title: 'the bond or team has a working port',
    judge: (_, { observation, plan, uplink }) => {
      if (observation === null) return notApplicable('unknown without NetworkManager and Open vSwitch');
      const { links } = observation;
      const bonds = uplink === null ? [] : bondsUnder(uplink, links);
      const team = links.find((link) => link.name === uplink && linkKindOf(link, observation) === 'team');
      if (bonds.length === 0 && team === undefined) return notApplicable('the uplink is on no bond and no team');
      const bridges = plan?.wanted.bridges ?? [];
      return verdictOf(
        portFaults({ bridges }, observation).map(({ subject, wanted, observed, remedy }) =>
          failed(`${subject}: wanted ${wanted}, observed ${observed}`, advice(remedy)),
        ),
        ...bonds.map(({ name, bond: { mode, arpMonitor, activePort, ports } }) => {
          const states = ports.map((port) => `${port.name} ${port.isWorking ? 'works' : 'has failed'}`).join(', ');
          const active = activePort === null ? '' : `, active port ${activePort}`;
          return `${name} (${mode}, ${arpMonitor === null ? 'MII' : 'ARP'} monitor): ${states}${active}`;
        }),
        ...(team === undefined ? [] : [`${team.name} has a carrier`]),
      );
    },
  },
];
