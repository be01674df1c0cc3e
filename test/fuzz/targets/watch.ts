// Messages of an API server, or of a proxy in front of it, in a watch.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { isChange, versionAfter, watchLines } from '../../../agent/drivers/kubernetes/watch-lines.ts';
import { expectedFailure } from '../expect.ts';
import type { FuzzTarget, Random } from '../target.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'a', uid: 'u', resourceVersion: '7', annotations: { ovn: '{}' } },
  spec: { nodeName: 'n1', containers: [{ ports: [{ containerPort: 80 }] }] },
  status: { phase: 'Running', podIPs: [{ ip: '10.42.1.3' }] },
};
const gone = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 };
const bookmark = { kind: 'Pod', metadata: { resourceVersion: '9' } };
const lines = (...list: readonly object[]): Buffer =>
  Buffer.from(list.map((one) => `${JSON.stringify(one)}\n`).join(''));

export const watchStream: FuzzTarget = {
  corpus: () => [
    lines({ type: 'ADDED', object: pod }, { type: 'MODIFIED', object: pod }, { type: 'DELETED', object: pod }),
    lines({ type: 'BOOKMARK', object: bookmark }),
    lines({ type: 'ADDED', object: pod }, { type: 'ERROR', object: gone }),
    lines({ type: 'ADDED', object: pod }),
  ],
  words: [
    '\n',
    '{',
    '}',
    'null',
    '[]',
    '"type"',
    '"object"',
    '"ERROR"',
    '"BOOKMARK"',
    '"resourceVersion"',
    '\0',
    '\ufeff',
  ],
  form: 'bytes',
  open: () => ({
    feed: async (input, random) => {
      const outcomes = new Set<string>();
      try {
        for await (const batch of watchLines(Readable.from(pieces(input, random)) as IncomingMessage)) {
          for (const { object } of batch.filter(isChange))
            if (typeof object !== 'object' || object === null) throw new Error('a change of nothing');
          outcomes.add(versionAfter(batch) === null ? 'listed again' : 'a version');
        }
      } catch (error) {
        outcomes.add(expectedFailure(error));
      }
      return [...outcomes].toSorted().join(', ') || 'nothing';
    },
    close: () => undefined,
  }),
};

/** Divides the input at a random place, as a connection can. */
function pieces(input: Buffer, random: Random): Buffer[] {
  const cut = random(input.length + 1);
  return [input.subarray(0, cut), input.subarray(cut)].filter((piece) => piece.length > 0);
}
