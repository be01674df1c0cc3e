// The bundle with which a node joins an overlay.
import { bundleText, parseBundle } from '../../../agent/run/overlay/record/record.ts';
import { expectedFailure, printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const bundle = {
  format: 1 as const,
  layout: {
    naming: 'modern' as const,
    clusterSubnets: ['10.42.0.0/16', 'fd01::/48'],
    serviceSubnets: ['10.43.0.0/16'],
    joinSubnets: ['100.64.0.0/16'],
    mtu: 1442,
    owner: 'microshift-net',
  },
  southbound: ['ssl:192.0.2.11:6642'],
  node: {
    name: 'n2',
    id: 2,
    systemId: 'n2-of-the-test',
    subnets: ['10.42.1.0/24'],
    encap: { types: ['geneve' as const], addresses: ['192.0.2.12'] },
    managementMac: null,
    hostAddresses: [],
    gateway: null,
  },
  pem: { key: 'KEY', certificate: 'CERTIFICATE', authority: 'AUTHORITY' },
};

export const overlayBundle: FuzzTarget = {
  corpus: () => [Buffer.from(bundleText(bundle))],
  words: ['"', '{', '}', '[', ']', ':', ',', 'null', 'node', 'ssl:[::1]:1', '/', '\\u001b', '0a:58:0a:2a:01:02'],
  form: 'json',
  open: () => ({
    feed: (input) => {
      try {
        printable(parseBundle(input.toString(), 'standard input').node.name, 'the name of the node');
        return 'a bundle';
      } catch (error) {
        return expectedFailure(error, /^bundle-unusable$/);
      }
    },
    close: () => undefined,
  }),
};
