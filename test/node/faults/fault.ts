// Everything that can go wrong while a run stands at a point: how it is made to happen, and what the world does about
// it by itself.
import type { FaultAction } from '../armed-fault.ts';
import type { RunningCommand } from '../command.ts';
import type { TestNode } from '../node.ts';

/** Facts that a fault may need. */
export interface Scene {
  readonly node: TestNode;
  /** The run of apply. */
  readonly command: RunningCommand;
}

export interface Fault {
  /** Column of the page, and the word by which the command line knows it. */
  readonly name: string;
  readonly title: string;
  /** Action on the run at the point: it is struck, or it stands still while an event happens around it. */
  readonly action: FaultAction;
  /** Shell text that starts the run; default: `microshift-net apply`. */
  readonly start?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Says why a fault cannot happen on a LAN, or null. */
  readonly impossible?: (lan: string) => string | null;
  readonly prepare?: (node: TestNode) => Promise<unknown>;
  readonly strike?: (scene: Scene) => Promise<unknown>;
  /** Leaves the agent standing: what ends it is the fault. */
  readonly keepsHolding?: boolean;
  /** The fault passes without anybody's hand: the cable is back. */
  readonly passes?: (scene: Scene) => Promise<unknown>;
  /** How long it lasts: some seconds, after which the LAN counts the silence (default), or as long as the run. */
  readonly lasts?: 'seconds' | 'run';
  /** Puts the test's own means away. */
  readonly cleanUp?: (node: TestNode) => Promise<unknown>;
  /** The machine is off afterwards; it is booted again. */
  readonly powerOff?: boolean;
  /**
   * An empty data path may stay behind: an ovs-vswitchd that starts while a run is rolled back knows nothing of it. It
   * goes with the next bridge; an agent that removed it would race with the process that makes the next bridge.
   */
  readonly leavesDataPath?: boolean;
  /**
   * NetworkManager may manage the interface of MicroShift's bridge afterwards, without a profile for it: only a request
   * over D-Bus makes it leave the device alone. The next `disable` does.
   */
  readonly leavesManaged?: boolean;
  /** Somebody (systemd) does the change again by himself: the end is the new state. */
  readonly endsNew?: boolean;
}

/** How long a fault outside the node lasts: longer than the 6 s for which NetworkManager overlooks a lost carrier. */
export const lastsMs = 8_000;
