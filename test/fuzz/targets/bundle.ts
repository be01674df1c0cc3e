// The bundle with which a node joins an overlay.
import { bundleText, parseBundle } from '../../../agent/run/overlay/record/record.ts';
import { dual, nodeOf } from '../../unit/overlay/cluster.ts';
import { expectedFailure, printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const bundle = {
  format: 1 as const,
  layout: dual,
  southbound: ['ssl:192.0.2.11:6642'],
  node: nodeOf(2),
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
