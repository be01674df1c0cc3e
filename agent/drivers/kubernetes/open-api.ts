import { createAccessSource } from './access-source.ts';
import { annotateNode, annotatePod } from './annotate.ts';
import type { ApiOptions, KubernetesApi } from './api.ts';
import { type Session, sessionLimits } from './api-session.ts';
import { createEvents } from './events.ts';
import { followCollection } from './follow.ts';
import { createPauses } from './pauses.ts';
import { createSlots } from './slots.ts';

/**
 * Number of concurrent patches. More would not make kube-apiserver faster, and would use up a limit that all its
 * clients share (--max-mutating-requests-inflight).
 */
const patchesAtOnce = 16;

/** Creates the API for a kubeconfig, which may be created later. No request is sent before the first use. */
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
    annotateNode: (name, annotations, giveUp) => slot(() => annotateNode(session, name, annotations, giveUp)),
    report: createEvents(session, options),
    wake: () => {
      session.access.doubt();
      // The kubeconfig is read again at once, because a change of it ends the connections that use the previous
      // credentials. The error of an unreadable kubeconfig is ignored, because the followers report it.
      session.access.current().then(session.pauses.wake, () => undefined);
    },
    close: () => {
      end.abort();
      session.access.close();
    },
  };
}
