import type { Bus } from '../drivers/dbus/bus-connection.ts';
import { readSmallFile } from '../drivers/host/files/files.ts';
import { takesAdvertisements } from '../drivers/host/kernel/ipv6-settings.ts';
import { openvswitchModule } from '../drivers/host/kernel/kernel-datapath.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { readRoutes, readSignpost } from '../drivers/host/kernel/routes.ts';
import { hasTun } from '../drivers/host/kernel/tun.ts';
import { readTuning } from '../drivers/host/process/daemons.ts';
import { hasProgram } from '../drivers/host/process/programs.ts';
import { sshClient } from '../drivers/host/process/ssh-client.ts';
import { type NetworkManager, openNetworkManager } from '../drivers/networkmanager/nm-client.ts';
import { type OpenVSwitch, openOpenVSwitch } from '../drivers/openvswitch/ovs-client.ts';
import type { Systemd } from '../drivers/systemd/systemd-units.ts';
import { readForeignEntries } from '../facts/foreign.ts';
import { observeNetworkManager } from '../facts/network-manager.ts';
import { observe } from '../facts/observe.ts';
import { onSystemBus, openSystemBus } from '../facts/system-bus.ts';
import { endingWith, followedBy } from '../failures.ts';
import type { Observation } from '../model/observation.ts';
import type { TuningFacts } from '../model/tuning.ts';
import { isInOwnUnit, pin } from './steps/pin-threads.ts';
import type { TuningContext } from './steps/tuning-steps.ts';

/** Open connections to D-Bus, NetworkManager and Open vSwitch, and the functions of a run that use them or systemd. */
export interface Node {
  readonly bus: Bus;
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly observe: () => Promise<Observation>;
  /** Asks systemd to read its unit files again. */
  readonly reloadUnits: () => Promise<void>;
  readonly pinThreads: TuningContext['pinThreads'];
  /**
   * Makes systemd run the recovery of a transaction if this process crashes during it. Does nothing in a unit of the
   * agent, whose ExecStopPost= runs the recovery.
   */
  readonly survive: (transaction: string) => Promise<void>;
  /**
   * Makes systemd start the recovery when the time to confirm a change is over, unless a start is scheduled already.
   * The recovery rolls the change back.
   */
  readonly recoverAfter: (seconds: number) => Promise<void>;
  /** Cancels the start of the recovery that is scheduled for the end of the time to confirm a change. */
  readonly cancelRecovery: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Unit that runs the recovery. systemd starts it when a manual run has ended, and at the end of the time to confirm a
 * change.
 */
const recoveryUnit = 'microshift-net-died';

/**
 * Time between the end of the time to confirm a change and the recovery that rolls the change back. NetworkManager
 * rounds the time of a checkpoint to seconds, and a recovery that starts too early fails because the change can still
 * be confirmed.
 */
const afterExpirySeconds = 2;

/** Facts for the tuning of Open vSwitch, which can be read without NetworkManager. */
export interface TunedFacts extends Pick<Observation, 'ovs' | 'links' | 'routes'> {
  readonly tuning: TuningFacts;
}

/**
 * Connections for the tuning of Open vSwitch. The system bus is opened only if a drop-in of systemd changes, or threads
 * are pinned.
 */
export interface TuningPorts {
  readonly ovs: OpenVSwitch;
  readonly observe: () => Promise<TunedFacts>;
  readonly reloadUnits: () => Promise<void>;
  readonly pinThreads: TuningContext['pinThreads'];
  readonly close: () => void;
}

/**
 * Connects to D-Bus, NetworkManager and Open vSwitch. If one of them cannot be reached, closes the other connections
 * and throws the error.
 */
export async function openNode(): Promise<Node> {
  const bus = await openSystemBus();
  let ovs: OpenVSwitch | undefined;
  try {
    const [nm, openedOvs] = await settleBoth(openNetworkManager(bus), openOpenVSwitch());
    ovs = openedOvs;
    const ports = {
      links: () => readLinks(),
      routes: () => readRoutes(),
      signpost: () => readSignpost(),
      foreign: readForeignEntries,
      takesAdvertisements,
      readFile: (path: string) => readSmallFile(path),
      sshClient: () => sshClient(),
      tuning: () => readTuning(),
      hasProgram,
      hasTun,
      openvswitchModule,
      networkManager: () => observeNetworkManager(nm),
      ovs: () => openedOvs.facts(),
    };
    return {
      bus,
      nm,
      ovs: openedOvs,
      observe: () => observe(ports),
      reloadUnits: () => reloadUnits(bus),
      pinThreads: (step) => pin(step, (ask) => ask(bus)),
      survive: async (transaction) => {
        if (isInOwnUnit()) return;
        const { startWhenThisEnds } = await import('../drivers/systemd/own-scope.ts');
        await startWhenThisEnds(bus, transaction, `${recoveryUnit}.service`);
      },
      recoverAfter: async (seconds) => {
        const { startLater } = await import('../drivers/systemd/delayed-start.ts');
        await startLater(
          bus,
          recoveryUnit,
          seconds + afterExpirySeconds,
          'End of the time to confirm a change of the network',
        );
      },
      cancelRecovery: async () => {
        const { cancelStart } = await import('../drivers/systemd/delayed-start.ts');
        await cancelStart(bus, recoveryUnit);
      },
      close: () => {
        openedOvs.close();
        bus.close();
      },
    };
  } catch (error) {
    ovs?.close();
    bus.close();
    throw error;
  }
}

/** Runs work with open connections to the node, and closes them. */
export async function withNode<T>(work: (node: Node) => Promise<T>, open = openNode): Promise<T> {
  const node = await open();
  return endingWith(
    () => work(node),
    () => node.close(),
  );
}

/** Connects to Open vSwitch alone, because its daemons can be tuned without NetworkManager. */
export async function openTuning(): Promise<TuningPorts> {
  const ovs = await openOpenVSwitch();
  return {
    ovs,
    observe: async () => ({ ovs: await ovs.facts(), tuning: readTuning(), links: readLinks(), routes: readRoutes() }),
    reloadUnits: () => onSystemBus(reloadUnits),
    pinThreads: (step) => pin(step, onSystemBus),
    close: () => ovs.close(),
  };
}

/** Connections to systemd and NetworkManager, which the scriptlets of a package need. */
export interface Services {
  readonly systemd: Systemd;
  /** Makes NetworkManager read its configuration files again; no link changes. */
  readonly reloadNetworkManager: () => Promise<void>;
  readonly close: () => void;
}

/** Connects to the system bus; systemd and NetworkManager need not be running. */
export async function openServices(): Promise<Services> {
  const bus = await openSystemBus();
  const { openSystemd } = await import('../drivers/systemd/systemd-units.ts');
  return {
    systemd: openSystemd(bus),
    reloadNetworkManager: async () => (await openNetworkManager(bus)).reloadConfiguration(),
    close: () => bus.close(),
  };
}

/**
 * Makes systemd read its unit files again, and waits for the reply of systemd. The caller has to stay connected until
 * the reply: systemd asks the bus daemon for the credentials of the caller, and refuses a caller that has left the bus.
 */
async function reloadUnits(bus: Bus): Promise<void> {
  const { openSystemd } = await import('../drivers/systemd/systemd-units.ts');
  await openSystemd(bus).daemonReload();
}

/**
 * Waits for the connections to NetworkManager and Open vSwitch. After a failure, closes the connection to Open vSwitch
 * if it is open. If both connections fail, throws the two failures as one error.
 */
async function settleBoth(
  nm: Promise<NetworkManager>,
  ovs: Promise<OpenVSwitch>,
): Promise<[NetworkManager, OpenVSwitch]> {
  const [first, second] = await Promise.allSettled([nm, ovs]);
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value];
  if (second.status === 'fulfilled') second.value.close();
  const [one, two] = [first, second].flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  throw two === undefined ? one : followedBy(one, two);
}
