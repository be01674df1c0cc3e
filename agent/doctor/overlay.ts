import type { OverlayFacts } from '../model/examination.ts';
import { type Check, type Finding, failed, given, notApplicable, verdictOf, warning } from './finding.ts';

/** Time enough to visit a node that is far away. */
const warnDays = 30;

/** Whether this node's part in an overlay can work; `overlay verify` looks at the rows. */
export const overlayCheck: Check = {
  id: 'overlay',
  title: 'OVN carries the overlay',
  judge: ({ overlay }) =>
    given(overlay, (facts) => {
      if (facts === null) return notApplicable('this node is in no overlay');
      const { southbound, certificates } = facts;
      const evidence = certificates.map(({ name, days }) => `certificate of ${name}: ${days} days left`);
      return verdictOf(
        [
          databaseComplaint(facts),
          controllerComplaint(facts),
          ...certificates.map((one) => certificateComplaint(facts, one)),
        ],
        `ovn-controller is connected with ${facts.isCentral ? 'the databases of this node' : southbound.join(', ')}`,
        ...evidence,
      );
    }),
};

function databaseComplaint({ isCentral, hasDatabases }: OverlayFacts): Finding | false {
  if (!isCentral || hasDatabases) return false;
  return failed(
    "OVN's databases do not run on this node, which is the central one",
    'install the package ovn-central',
    'systemctl restart ovn-central (Fedora, CentOS: ovn-northd)',
  );
}

function controllerComplaint({ controller, isCentral, southbound }: OverlayFacts): Finding | false {
  if (controller === 'connected') return false;
  if (controller === 'absent')
    return failed('ovn-controller does not run', 'install the package ovn-host', 'systemctl restart ovn-controller');
  const where = isCentral ? 'the databases of this node' : southbound.join(', ');
  return failed(
    `ovn-controller does not reach ${where}; running traffic goes on, and nothing changes`,
    'look at /var/log/ovn/ovn-controller.log for the reason',
    'let a firewall between the nodes pass TCP port 6642 to the central one',
  );
}

function certificateComplaint(
  { node, isCentral }: OverlayFacts,
  { name, days }: OverlayFacts['certificates'][number],
): Finding | false {
  if (days >= warnDays) return false;
  const said = name === 'ca' ? 'the certification authority of the overlay' : `the certificate of ${name}`;
  const fix = renewal(isCentral, name === 'this node' ? node : name, name === 'this node');
  return days < 0 ? failed(`${said} is over`, ...fix) : warning(`${said} ends in ${days} days`, ...fix);
}

function renewal(isCentral: boolean, node: string, isOwn: boolean): readonly string[] {
  if (node === 'ca') return ['take every node out with `microshift-net overlay leave`, and begin the overlay anew'];
  if (isCentral && isOwn) return ['microshift-net overlay pki renew'];
  const file = `${node}.bundle`;
  const [there, here] = isCentral ? ['', `on ${node}, `] : ['on the central node, ', ''];
  return [`${there}microshift-net overlay pki renew ${node} -o ${file}`, `${here}microshift-net overlay join ${file}`];
}
