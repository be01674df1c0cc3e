import { createAccessSource } from './access-source.ts';
import { annotatePod } from './annotate.ts';
import type { ApiOptions, KubernetesApi } from './api.ts';
import { createEvents } from './events.ts';
import { followCollection } from './follow.ts';
import { createPauses } from './pauses.ts';
import { type Session, sessionLimits } from './session.ts';
import { createSlots } from './slots.ts';

/** Patches that are under way at a time. More do not make kube-apiserver faster, and its clients share what it does at once (--max-mutating-requests-inflight). */
const patchesAtOnce = 16;

/** Opens the API of a kubeconfig, which need not be there yet: nothing is asked before somebody asks. */
export function openApi(options: ApiOptions, limits = sessionLimits): KubernetesApi {
  const end = new AbortController();
  const session: Session = {
    access: createAccessSource(options.kubeconfig, options.say),
    pauses: createPauses(limits),
    limits,
    stop: end.signal,
  };
  const slot = createSlots(patchesAtOnce);
  return {
    follow: (collection, follower) => followCollection(session, collection, follower),
    annotate: (pod, annotations, giveUp) => slot(() => annotatePod(session, pod, annotations, giveUp)),
    tell: createEvents(session, options),
    wake: () => {
      session.access.doubt();
      // Where it has changed, what was opened with the one before ends; why it cannot be read is told to those who follow.
      session.access.current().then(session.pauses.wake, () => undefined);
    },
    close: () => {
      end.abort();
      session.access.close();
    },
  };
}
