import { type CniCommand, type CniRequest, cniCommands, readRequest, versionOf } from '../../../cni/cni-request.ts';
import { CniError, cniCode, errorResult } from '../../../cni/error.ts';
import { AgentError, asAgentError, errorTable } from '../../../errors.ts';
import { askController } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { type Answer, type CniSurroundings, check, collect, plug, prepare, unplug } from './attach.ts';

/** Index of the network configuration among the arguments of a request from the CNI plug-in. */
const configWord = 4;

/** Verb in progress for a container. */
interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Creates the function that answers requests of the CNI plug-in. An answer is `0` with the lines to run or print, or
 * `1` with a CNI error result. Only one verb at a time runs for a container. DEL aborts a verb in progress for its
 * container and waits for the rollback of that verb. ADD and CHECK are refused with CNI error 11 while a verb is in
 * progress for their container.
 */
export function createVerbs(places: OverlayPlaces, around: CniSurroundings) {
  const running = new Map<string, Running>();
  const alone = async (request: CniRequest, gone: AbortSignal, work: (stop: AbortSignal) => Promise<Answer>) => {
    const { containerId, command } = request;
    for (let other = running.get(containerId); other !== undefined; other = running.get(containerId)) {
      if (command !== 'DEL')
        throw new CniError(cniCode.tryAgainLater, `something is being done for ${containerId} already`);
      other.stop.abort(noRuntimeWaits());
      await other.ended;
    }
    const stop = new AbortController();
    gone.addEventListener('abort', () => stop.abort(noRuntimeWaits()));
    const done = work(stop.signal);
    running.set(containerId, { stop, ended: done.catch(() => undefined) });
    return done.finally(() => running.delete(containerId));
  };
  const carryOut = async (request: CniRequest, gone: AbortSignal): Promise<Answer> => {
    switch (request.command) {
      case 'ADD':
        return alone(request, gone, (stop) => prepare(request, around, stop));
      case 'PLUG':
        return alone(request, gone, (stop) => plug(request, around, stop));
      case 'CHECK':
        return alone(request, gone, (stop) => check(request, around, stop));
      case 'DEL':
        return alone(request, gone, () => unplug(request, around));
      case 'GC':
        return collect(request, around, new Set(running.keys()));
      case 'STATUS':
        return status(places, around);
    }
  };
  return async (command: string, words: readonly string[], gone: AbortSignal): Promise<string> => {
    const version = versionOf(words[configWord] ?? '');
    try {
      const known = cniCommands.find((one): one is CniCommand => one === command);
      if (known === undefined) throw new CniError(cniCode.badEnvironment, `CNI_COMMAND ${command} is not known`);
      return `0${(await carryOut(readRequest(known, words), gone)).join('\n')}`;
    } catch (thrown) {
      const error = inCniWords(thrown);
      around.say(`${command} of ${words[0] ?? ''}: ${error.message}`);
      return `1${errorResult(version, error)}`;
    }
  };
}

/**
 * Answers STATUS: throws CniError 50 if no pod can get an interface, and CniError 51 if existing pods may have limited
 * connectivity.
 */
async function status(places: OverlayPlaces, { pods, ports }: CniSurroundings): Promise<Answer> {
  const refuse = (why: string, code: number = cniCode.notAvailable): never => {
    throw new CniError(code, why, 'look at `microshift-net overlay status`');
  };
  if (!ports.isFresh) refuse('the database of Open vSwitch does not answer');
  if (ports.datapath() === null) refuse('the bridge br-int does not exist', cniCode.limitedConnectivity);
  if (!pods.isKnown) refuse('the API server has not listed the pods of this node');
  const controller = await askController(places);
  if (controller !== 'connected') refuse(`ovn-controller is ${controller}`, cniCode.limitedConnectivity);
  return [];
}

/** Converts an error to a CniError. A retryable error gets code 11, after which the container runtime tries again. */
function inCniWords(thrown: unknown): CniError {
  if (thrown instanceof CniError) return thrown;
  const { kind, message, hint } = asAgentError(thrown);
  return new CniError(errorTable[kind].retryable ? cniCode.tryAgainLater : cniCode.refused, message, hint);
}

function noRuntimeWaits(): AgentError {
  return new AgentError('interrupted', 'the runtime does not wait for it any more', {
    hint: 'the runtime tries again by itself',
  });
}
