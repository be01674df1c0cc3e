import type { OverlayFacts } from '../model/examination.ts';
import { type Check, type Finding, failed, givenOverlay, verdictOf, warning } from './finding.ts';

/**
 * Number of remaining days of a certificate's validity below which the check warns. They leave time for a visit to a
 * remote node.
 */
const warnDays = 30;

type Certificate = OverlayFacts['certificates'][number];

/** Check of the validity of the overlay's certificates. */
export const certificateChecks: readonly Check[] = [
  {
    id: 'overlay-certificates',
    title: 'certificates of the overlay',
    judge: ({ overlay }) =>
      givenOverlay(overlay, (facts) => {
        const { certificates } = facts;
        return verdictOf(
          certificates.flatMap((one) => [beginComplaint(one), endComplaint(facts, one)]),
          ...(certificates.length === 0 ? ['this node has no certificates of an overlay'] : []),
          ...certificates.map(({ name, days }) => `certificate of ${name}: ${days} days left`),
        );
      }),
  },
];

/** Fix for a node whose clock is wrong. */
export const setClocks = 'timedatectl # on both; where no NTP is reached: chronyc makestep';

/**
 * Returns a complaint for a certificate that is not valid yet. The usual cause is a clock that is behind after a start
 * without NTP.
 */
function beginComplaint({ name, beginsInS }: Certificate): Finding | false {
  if (beginsInS <= 0) return false;
  return failed(
    `${inWords(name)} begins to be valid in ${beginsInS} s: the clock of this node, or of the central one, is wrong`,
    setClocks,
  );
}

function endComplaint({ node, isCentral }: OverlayFacts, { name, days }: Certificate): Finding | false {
  if (days >= warnDays) return false;
  const fix = renewal(isCentral, name === 'this node' ? node : name, name === 'this node');
  return days < 0
    ? failed(`${inWords(name)} has expired`, ...fix)
    : warning(`${inWords(name)} expires in ${days} days`, ...fix);
}

function inWords(name: string): string {
  return name === 'ca' ? 'the certification authority of the overlay' : `the certificate of ${name}`;
}

function renewal(isCentral: boolean, node: string, isOwn: boolean): readonly string[] {
  if (node === 'ca') return ['microshift-net overlay pki rotate # on the central node'];
  if (isCentral && isOwn) return ['microshift-net overlay pki renew'];
  const file = `${node}.bundle`;
  const [there, here] = isCentral ? ['', ` # on ${node}`] : [' # on the central node', ''];
  return [`microshift-net overlay pki renew ${node} -o ${file}${there}`, `microshift-net overlay join ${file}${here}`];
}
