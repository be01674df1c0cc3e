// Network annotations of a pod, which every account with the right to make pods can write.
import type { Pod } from '../../../agent/model/workload.ts';
import { withoutLength } from '../../../agent/overlay/addresses.ts';
import {
  annotatedNetwork,
  annotationNames,
  requestedAddresses,
  wantedAnnotations,
} from '../../../agent/workload/pods/annotations.ts';
import { podSubnets, rangeWith } from '../../../agent/workload/pods/subnets.ts';
import { dual, dualNode } from '../../unit/overlay/cluster.ts';
import { openBook, podOf } from '../../unit/workload/pods/paper-pods.ts';
import { printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const node = dualNode(1);
const written = wantedAnnotations(['10.42.1.9/24', 'fd01:0:0:1::9/64'], node, dual, 'u');

export const podAnnotations: FuzzTarget = {
  corpus: () =>
    [
      ...Object.values(written),
      ...Object.values(wantedAnnotations(['10.42.1.9/24'], node, dual, 'u')),
      "{'ip_address': u'10.42.1.9/24', 'mac_address': u'0a:00:00:00:00:01', 'gateway_ip': u'10.42.1.1'}",
      '10.42.1.7',
      'fd01:0:0:1::7, 10.42.1.7',
    ].map((text) => Buffer.from(text)),
  words: [
    '"',
    "'",
    "u'",
    ',',
    '{',
    '}',
    '/24',
    '/0',
    '::',
    '%eth0',
    '10.42.1.255',
    '10.42.1.3/24',
    'null',
    '__proto__',
  ],
  form: 'json',
  open: () => ({
    feed: (input) => {
      const text = input.toString();
      const outcomes = Object.values(annotationNames).map((name) => {
        const pod: Pod = podOf('fuzzed', { annotations: { [name]: text } });
        const network = annotatedNetwork(pod.annotations);
        if (network !== null) holds(network.addresses);
        requestedAddresses(pod.annotations);
        const { book, tell } = openBook([node]);
        const { faults } = tell({ pods: [pod, podOf('other')] });
        for (const { note } of faults) printable(note, 'an Event');
        const addresses = book.addresses.get('default/fuzzed');
        if (addresses === undefined) return 'refused';
        const areUsable = addresses.every((one) => rangeWith(podSubnets(node), withoutLength(one))?.isUsable === true);
        if (addresses.length !== 2 || !areUsable) throw new Error(`it has ${addresses.join(' ')}`);
        const again = annotatedNetwork(wantedAnnotations(addresses, node, dual, 'u'));
        if (String(again?.addresses) !== String(addresses)) throw new Error('what is written is read in another way');
        return network === null ? 'any address' : 'its own';
      });
      return [...new Set(outcomes)].join(', ');
    },
    close: () => undefined,
  }),
};

function holds(addresses: readonly string[]): void {
  const families = addresses.map((address) => address.includes(':'));
  if (addresses.length === 0 || new Set(families).size !== families.length) throw new Error(addresses.join(' '));
  wantedAnnotations(addresses, node, dual, 'u');
}
