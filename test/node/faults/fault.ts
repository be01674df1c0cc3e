// Description of a fault that can happen while a run is held at a point: the action that causes it, and the reactions
// that follow without the test.
import type { FaultAction } from '../armed-fault.ts';
import type { RunningCommand } from '../command.ts';
import type { TestNode } from '../node.ts';

/** Facts that a fault may need. */
export interface Scene {
  readonly node: TestNode;
  /** Run of `apply` that is held at the point. */
  readonly command: RunningCommand;
}

export interface Fault {
  /** Name of the fault in the columns of the page and on the command line. */
  readonly name: string;
  readonly title: string;
  /** Action on the run at the point: a signal, or an event during the hold. */
  readonly action: FaultAction;
  /** Shell text that starts the run; `microshift-net apply` by default. */
  readonly start?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the reason why the fault cannot happen on a LAN; null if it can. */
  readonly impossible?: (lan: string) => string | null;
  readonly prepare?: (node: TestNode) => Promise<unknown>;
  readonly strike?: (scene: Scene) => Promise<unknown>;
  /** True if only the end of the fault releases the held agent. */
  readonly keepsHolding?: boolean;
  /** Ends the fault without a repair by hand, for example by plugging the cable in again. */
  readonly passes?: (scene: Scene) => Promise<unknown>;
  /** Duration of the fault: some seconds, after which the silence counts (default), or the duration of the run. */
  readonly lasts?: 'seconds' | 'run';
  /** Removes the files and processes of the test. */
  readonly cleanUp?: (node: TestNode) => Promise<unknown>;
  /** True if the machine is turned off by the fault; it is booted again. */
  readonly powerOff?: boolean;
  /**
   * True if an empty data path may remain: an ovs-vswitchd that starts during a rollback does not know the former
   * bridge. The next bridge removes it; a removal by the agent would race with the process that creates the next
   * bridge.
   */
  readonly leavesDataPath?: boolean;
  /**
   * True if NetworkManager may manage the interface of MicroShift's bridge without a profile afterwards: only a request
   * over D-Bus makes the device unmanaged. The next `disable` sends the request.
   */
  readonly leavesManaged?: boolean;
  /** True if systemd repeats the change by itself, so that the final state is the new state. */
  readonly endsNew?: boolean;
}

/** Duration of a fault outside of the node: longer than the 6 s for which NetworkManager ignores a lost carrier. */
export const lastsMs = 8_000;
