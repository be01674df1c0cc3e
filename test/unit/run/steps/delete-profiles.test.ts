// A step that deletes profiles removes the rows of its bridges too, after the activations of the profiles have ended.
import t from 'tap';
import { deleteProfiles } from '../../../../agent/run/steps/delete-profiles.ts';
import type { StepContext } from '../../../../agent/run/steps/step-context.ts';

/** What the step does with two profiles and these bridges; each profile is active until it is looked at twice. */
async function callsFor(bridges: readonly string[]): Promise<readonly string[]> {
  const calls: string[] = [];
  let looks = 0;
  const played = {
    nm: {
      profilePathOf: async (uuid: string) => `/${uuid}`,
      deleteProfile: async (path: string) => void calls.push(`delete ${path}`),
      property: async (path: string) => (path.startsWith('/active') ? 'one' : looks++ < 2 ? ['/active'] : []),
    },
    ovs: { removeBridges: async (names: readonly string[]) => void calls.push(`remove ${names.join(' ')}`) },
    watch: {
      until: async (what: string, holds: () => Promise<boolean>) => {
        while (!(await holds())) calls.push(`wait for ${what}`);
      },
    },
    deadline: { remainingMs: () => 60_000, signal: new AbortController().signal },
  } as unknown as StepContext;
  const profiles = [
    { id: 'br-ex', uuid: 'one' },
    { id: 'ovs-if-br-ex', uuid: 'two' },
  ];
  await deleteProfiles(played, { profiles, bridges });
  return calls;
}

const ended = [
  'delete /one',
  'delete /two',
  'wait for the end of the old profiles',
  'wait for the end of the old profiles',
];

t.test('rows are removed last, and only those of bridges that the step names', async (t) => {
  t.strictSame(await callsFor(['br-ex']), [...ended, 'remove br-ex']);
  t.strictSame(await callsFor(['br-ex', 'br-ex1']), [...ended, 'remove br-ex br-ex1']);
  t.strictSame(await callsFor([]), ended);
});
