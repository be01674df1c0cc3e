import { asAgentError, withDetails } from '../../../errors.ts';
import type { OverlayBundle } from '../../../model/overlay-record.ts';
import type { Say } from '../../reported-wait.ts';
import { type Stopped, stoppable } from '../../stoppable.ts';
import { withState } from '../../stopped.ts';
import { waitForPort } from '../node/own-port.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { type IssueOptions, issueBundle } from './issue.ts';

/** Function that runs work under the lock of all runs. */
type Locked = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Admits a node to the cluster, waits until it can join, and hands out its bundle. If a signal (Ctrl-C) or a failure
 * ends the run after the admission, the message says that the node is a member, and how to get its bundle.
 */
export function admitNode(
  options: IssueOptions,
  places: OverlayPlaces,
  locked: Locked,
  giveOut: (bundle: OverlayBundle) => void,
  say: Say,
): Promise<void> {
  // A signal during the wait for the lock causes an error that already states that nothing was changed, so no sentence
  // is added.
  let ending: Stopped | null = null;
  const admit = async (stop: AbortSignal): Promise<void> => {
    const forward = { ...places, stop };
    const bundle = await locked(() => {
      ending = notAdmitted;
      return issueBundle(options, forward);
    });
    ending = null;
    try {
      await waitForPort(bundle.node.name, forward, say);
      stop.throwIfAborted();
      giveOut(bundle);
    } catch (error) {
      const { state, hint } = withoutBundle(bundle.node.name, options.request !== null);
      throw withState(withDetails(asAgentError(error), { hint }), state);
    }
  };
  return stoppable(say, admit, () => ending);
}

/** Sentence about the state of the cluster in the error message of a run that was stopped before the admission. */
const notAdmitted: Stopped = { state: 'nothing was changed, and no bundle is written' };

/**
 * Returns the state and the next step after the admission of a member whose bundle was not handed out. `keepsKey` is
 * true if the node itself made its key and sent a certificate request.
 */
function withoutBundle(name: string, keepsKey: boolean): Required<Stopped> {
  const option = keepsKey ? ' --request FILE' : '';
  return {
    state: `${name} is a member of the cluster, and its bundle is not written`,
    hint: `write its bundle: microshift-net overlay pki renew ${name}${option}; or remove the member: microshift-net overlay leave --node ${name}`,
  };
}
