// Rollback of a failed transaction: in place while the checkpoint exists, by the checkpoint, or after its end. The node
// is simulated.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { NetworkManager } from '../../../../agent/drivers/networkmanager/nm-client.ts';
import { activeInterface, activeState } from '../../../../agent/drivers/networkmanager/nm-names.ts';
import type { OpenVSwitch } from '../../../../agent/drivers/openvswitch/ovs-client.ts';
import { AgentError } from '../../../../agent/errors.ts';
import type { Observation } from '../../../../agent/model/observation.ts';
import type { LinkAddresses, Step, Wanted } from '../../../../agent/model/plan.ts';
import { type Connections, type RestorePorts, restoreOldState } from '../../../../agent/run/rollback/restore-state.ts';
import { replacePrograms } from '../../replaced-programs.ts';

const checkpoint = '/checkpoint/1';
const none: Wanted = { bridges: [] };
/** Minimal state of a node. */
const before: readonly LinkAddresses[] = [{ interface: 'lo', addresses: ['127.0.0.1/8'] }];
const profile = { id: 'x', uuid: 'x', settings: { connection: { id: ['s', 'x'] } } } as const;
const step: Step = { do: 'writeProfiles', profiles: [profile], why: 'what was before' };
const refused = (message: string): AgentError => new AgentError('networkmanager-refused', message);

interface Played {
  readonly checkpoints?: readonly string[];
  readonly planRestore?: RestorePorts['planRestore'];
  readonly previous?: Wanted;
  readonly checkpoint?: string | null;
  readonly nm?: Partial<NetworkManager>;
  readonly ovs?: Partial<OpenVSwitch>;
  readonly observe?: Connections['observe'];
  readonly reconnect?: RestorePorts['reconnect'];
  readonly completeUnaided?: RestorePorts['completeUnaided'];
  /** Bridges in the database at each query; the last answer repeats. */
  readonly bridges?: readonly (readonly string[])[];
  /** Held IPv4 routes that ip(8) shows. */
  readonly held?: readonly object[];
}

interface Restored {
  /** Calls and messages of the rollback, in order. */
  readonly log: readonly string[];
  readonly left: AgentError | null;
  /** Ports that were removed from the kernel's data path. */
  readonly freed: readonly string[];
  /** Batches of lines that ip(8) received. */
  readonly ip: readonly string[];
  /** Number of times the checkpoint's timer was extended. */
  readonly pushes: number;
  /** Number of times the addresses of the transaction were removed from lo. */
  readonly cleared: number;
}

async function restore(t: Test, played: Played): Promise<Restored> {
  const log: string[] = [];
  let pushes = 0;
  let cleared = 0;
  const bridges = [...(played.bridges ?? [[]])];
  const nm: Partial<NetworkManager> = {
    property: async (_path, _interface, name) => (name === 'Checkpoints' ? (played.checkpoints ?? [checkpoint]) : []),
    request: async (_what, { member }) => {
      if (member === pushing) pushes += 1;
      else log.push(member);
      return [];
    },
    findProfile: async () => null,
    addProfile: async () => {
      log.push('addProfile');
      return '/profile';
    },
    onSignal: () => () => undefined,
    onVanished: () => () => undefined,
    ...played.nm,
  };
  const ovs: Partial<OpenVSwitch> = {
    probeVswitchd: async () => undefined,
    facts: async () => {
      const names = (bridges.length > 1 ? bridges.shift() : bridges[0]) ?? [];
      return { bridges: names.map((name) => ({ name, ports: [] })) } as unknown as Awaited<
        ReturnType<OpenVSwitch['facts']>
      >;
    },
    ...played.ovs,
  };
  const connections = {
    nm: nm as NetworkManager,
    ovs: ovs as OpenVSwitch,
    observe: played.observe ?? (async () => ({}) as Observation),
  };
  const ports: RestorePorts = {
    reconnect: played.reconnect ?? (async () => connections),
    completeUnaided: played.completeUnaided ?? (async () => false),
    freeAddressed: async () => {
      log.push('NICs with addresses are freed');
    },
    planRestore: played.planRestore ?? (() => [step]),
    clearLoopback: async () => {
      cleared += 1;
    },
    say: (message) => log.push(message),
  };
  const programs = playPrograms(t, played.held ?? []);
  const path = played.checkpoint === undefined ? checkpoint : played.checkpoint;
  const left = await restoreOldState(ports, played.previous ?? none, before, path);
  return { log, left, pushes, cleared, freed: programs('ovs-dpctl'), ip: programs('ip') };
}

/**
 * Replaces ovs-dpctl by a program that records the removed ports, and ip by one that shows held routes and records its
 * batches. Returns a function with the records of a program.
 */
function playPrograms(t: Test, held: readonly object[]): (program: string) => readonly string[] {
  const ip = `case "$*" in *" monitor "*) exec sleep 60 ;; *-batch*) cat >> "$0.notes" ;; *"-4 route show proto 77"*) echo '${JSON.stringify(held)}' ;; esac`;
  const directory = replacePrograms(t, { 'ovs-dpctl': 'echo "$*" >> "$0.notes"', ip });
  const notes = (program: string): string => join(directory, `${program}.notes`);
  return (program) => (existsSync(notes(program)) ? readFileSync(notes(program), 'utf8').trim().split('\n') : []);
}

/** Returns a function that fails at its first call only. */
function once(error: AgentError): () => Promise<string> {
  let calls = 0;
  return async () => {
    if (calls++ === 0) throw error;
    return '/profile';
  };
}

const pushing = 'CheckpointAdjustRollbackTimeout';
const returning = 'returning: write the profile x';
const rollingBack = 'rolling back to the checkpoint';

t.test('a rollback in place, which does not use the checkpoint', async (t) => {
  const { log, left, freed, pushes } = await restore(t, {});
  t.equal(left, null);
  t.strictSame(log, [returning, 'addProfile', 'CheckpointDestroy']);
  t.equal(pushes, 1, 'the timer of the checkpoint is extended once');
  t.strictSame(freed, []);
});

t.test('a checkpoint that expires at this moment does not fail the rollback', async (t) => {
  const request = async (): Promise<never> => {
    throw refused('no such checkpoint');
  };
  t.equal((await restore(t, { nm: { request } })).left, null);
});

t.test('without steps to roll back, the checkpoint is destroyed as well', async (t) => {
  const { log, left } = await restore(t, { planRestore: () => [] });
  t.equal(left, null);
  t.strictSame(log, ['CheckpointDestroy']);
});

t.test('a rollback in place that fails is followed by the checkpoint, and then by the remaining steps', async (t) => {
  const { log, left, cleared } = await restore(t, { nm: { addProfile: once(refused('not now')) } });
  t.equal(left, null);
  t.equal(cleared, 1, "lo loses the addresses that NetworkManager's rollback has added again");
  t.strictSame(log, [returning, 'the planned rollback failed: not now', rollingBack, 'CheckpointRollback', returning]);
});

t.test('a bridge that only the checkpoint can restore is restored by the checkpoint', async (t) => {
  const { log, left } = await restore(t, { planRestore: () => null });
  t.equal(left, null);
  t.strictSame(log, [rollingBack, 'CheckpointRollback']);
});

t.test('the remaining steps after the checkpoint are planned from the present state', async (t) => {
  let asked = 0;
  const planRestore = () => (asked++ === 0 ? null : [step]);
  const { log } = await restore(t, { planRestore });
  t.strictSame(log, [rollingBack, 'CheckpointRollback', returning, 'addProfile']);
});

t.test('a rollback that NetworkManager refuses is reported, and the steps are run', async (t) => {
  const log: string[] = [];
  const request: NetworkManager['request'] = async (_what, { member }) => {
    if (member !== pushing) log.push(member);
    throw refused('it rolls back already');
  };
  let asked = 0;
  const played = { planRestore: () => (asked++ === 0 ? null : [step]), nm: { request } };
  const { log: said, left } = await restore(t, played);
  t.equal(left, null);
  t.strictSame(log, ['CheckpointRollback']);
  t.strictSame(said, [rollingBack, 'it rolls back already', returning, 'addProfile']);
});

for (const [why, played] of Object.entries<Played>({
  'its timer has expired': { checkpoints: [] },
  'only another one exists': { checkpoints: ['/checkpoint/2'] },
  'none was created': { checkpoint: null },
})) {
  t.test(`without the checkpoint (${why}), steps alone restore the old state`, async (t) => {
    const { log, left } = await restore(t, played);
    t.equal(left, null);
    t.strictSame(log, [returning, 'addProfile']);
  });
}

t.test('the rollback does not wait for the lease of a NIC that is still a port', async (t) => {
  const properties: Readonly<Record<string, unknown>> = {
    Checkpoints: [],
    ActiveConnections: ['/active/1'],
    Devices: ['/device/1'],
    Interface: 'eth0',
  };
  /**
   * Returns the number of reads of the state of eth0 in a rollback; the activation of eth0 ends after the first read.
   */
  const readsOfState = async (port: string): Promise<number> => {
    let reads = 0;
    let listener: Parameters<NetworkManager['onSignal']>[0] = () => undefined;
    const property: NetworkManager['property'] = async (_path, _interface, name) => {
      if (name !== 'State') return properties[name];
      reads += 1;
      if (reads > 1) return activeState.activated;
      setImmediate(() =>
        listener({ sender: ':1.1', path: '/active/1', interface: activeInterface, member: 'StateChanged', body: [2] }),
      );
      return 1; // NM_ACTIVE_CONNECTION_STATE_ACTIVATING
    };
    const onSignal: NetworkManager['onSignal'] = (listen) => {
      listener = listen;
      return () => undefined;
    };
    const bridges = [{ name: 'br-ex', ports: [{ name: 'br-ex' }, { name: port }] }];
    const facts = async () => ({ bridges }) as unknown as Awaited<ReturnType<OpenVSwitch['facts']>>;
    const { log, left } = await restore(t, { nm: { property, onSignal }, ovs: { facts } });
    t.equal(left, null);
    t.strictSame(log, [returning, 'addProfile']);
    return reads;
  };
  t.equal(await readsOfState('eth0'), 1, 'the rollback does not wait for a NIC that is still a port');
  t.equal(await readsOfState('eth1'), 2, 'the rollback waits for a NIC that is no longer a port');
});

t.test('if ovs-vswitchd does not answer, the NIC is freed from the kernel and restored in place', async (t) => {
  const probeVswitchd = async (): Promise<never> => {
    await setTimeout(1_100); // A restart would take less time, so ovs-vswitchd counts as hanging.
    throw new AgentError('vswitchd-not-responding', 'it does not answer');
  };
  const { log, left, freed, cleared } = await restore(t, { ovs: { probeVswitchd } });
  t.strictSame([left, cleared], [null, 0]);
  t.strictSame(freed, ['del-if ovs-system lo'], 'the NIC that was in no bridge before is freed');
  t.strictSame(log, [returning, 'addProfile', 'CheckpointDestroy'], 'no profile is activated again');

  const bridge = { bridge: 'br-ex', mac: '', profiles: [] };
  const uplink = { interface: 'lo', sourceProfile: '', sourceProfileId: '' };
  const inside = await restore(t, { ovs: { probeVswitchd }, previous: { bridges: [{ ...bridge, uplink }] } });
  t.strictSame(inside.freed, [], 'a NIC that was in a bridge before stays in it');
});

t.test('an ovs-vswitchd that systemd has just restarted counts as answering', async (t) => {
  let calls = 0;
  const probeVswitchd = async (): Promise<void> => {
    if (calls++ === 0) throw new AgentError('vswitchd-not-responding', 'it starts');
  };
  const { log } = await restore(t, { ovs: { probeVswitchd } });
  t.strictSame(log, [returning, 'addProfile', 'CheckpointDestroy']);
});

t.test('a bridge without a row is also removed from the kernel', async (t) => {
  const after = await restore(t, { bridges: [['lo'], []] });
  t.strictSame(after.freed, ['del-if ovs-system lo'], 'the bridge is removed after a rollback in place');
  const rolledBack = await restore(t, { bridges: [['lo'], []], planRestore: () => null });
  t.match(rolledBack.freed, ['del-if ovs-system lo'], 'the bridge is removed after a rollback by the checkpoint');
  const stays = await restore(t, { bridges: [['lo']] });
  t.strictSame(stays.freed, []);
});

t.test('a rollback that cannot be planned is left to the checkpoint', async (t) => {
  const notFound = new AgentError('interface-not-found', 'the interface eth0 does not exist');
  const planRestore = (): never => {
    throw notFound;
  };
  t.match(
    (await restore(t, { planRestore })).log,
    [/./, /^rolling back/, 'CheckpointRollback'],
    'the checkpoint rolls back if the NIC no longer exists',
  );
  let asked = 0;
  const observe: Connections['observe'] = async () => {
    if (asked++ === 0) throw refused('not now');
    return {} as Observation;
  };
  const { log, left } = await restore(t, { observe });
  t.ok(log.includes('CheckpointRollback'), 'the checkpoint rolls back if NetworkManager does not report its state');
  t.equal(left, null);
});

t.test('the rollback waits for a service that crashes during it, and begins again', async (t) => {
  const stopped = new AgentError('networkmanager-not-running', 'NetworkManager stopped while it was being used');
  const beginsAnew = `${stopped.message}; the rollback starts again when it runs again`;
  let calls = 0;
  const nm: Partial<NetworkManager> = {
    addProfile: async () => {
      if (calls++ < 2) throw stopped;
      return '/profile';
    },
  };
  const { log, left } = await restore(t, { nm });
  t.equal(left, null);
  const [first, second] = [log.slice(0, log.indexOf(beginsAnew)), log.slice(log.indexOf(beginsAnew) + 1)];
  t.ok(first.includes('CheckpointRollback'), 'the first attempt uses the checkpoint');
  t.strictSame(second.slice(0, 1), [returning], 'the second attempt is planned from the present state');
  const facts = async (): Promise<never> => {
    throw new AgentError('ovsdb-lost', 'it went away');
  };
  let connections = 0;
  const twice: Played['reconnect'] = async () => {
    if (connections++ > 1) throw refused('nothing comes back');
    return { nm: {}, ovs: { probeVswitchd: async () => undefined, facts }, observe: facts } as unknown as Connections;
  };
  t.match((await restore(t, { reconnect: twice })).left, { kind: 'not-restored', message: /nothing comes back/ });
  t.equal(connections, 3);
});

t.test(
  'entries that an earlier rollback has held are removed by the last rollback, regardless of its plan',
  async (t) => {
    const route = {
      dst: '198.51.100.0/24',
      gateway: '192.0.2.1',
      dev: 'eth1',
      protocol: '77',
      metric: 49,
      flags: ['onlink'],
    };
    const held = [route, { ...route, dst: '203.0.113.7', gateway: undefined }];
    const { log, left, ip } = await restore(t, { held, planRestore: () => [] });
    t.equal(left, null);
    t.strictSame(ip, [
      'route delete 198.51.100.0/24 via 192.0.2.1 onlink dev eth1 metric 49 proto 77',
      'route delete 203.0.113.7 dev eth1 metric 49 proto 77',
    ]);
    t.strictSame(log, ['returning: return the routes of eth1 to NetworkManager', 'CheckpointDestroy']);
  },
);

t.test('if NetworkManager stops while the rollback waits for routes, the rollback begins again', async (t) => {
  const destinations = ['192.0.2.0/24'];
  const why = 'a route comes';
  const waits: Step = { do: 'releaseRoutes', interface: 'lo', destinations, routes: [], metric: 47, why };
  let listener: (error: AgentError) => void = () => undefined;
  const onVanished: NetworkManager['onVanished'] = (given) => {
    listener = given;
    return () => undefined;
  };
  let planned = 0;
  const planRestore = (): readonly Step[] => {
    planned += 1;
    if (planned === 1) setTimeout(20).then(() => listener(new AgentError('networkmanager-not-running', 'it went')));
    return planned === 1 ? [waits] : [step];
  };
  const { log, left } = await restore(t, { checkpoints: [], planRestore, nm: { onVanished } });
  t.equal(left, null);
  t.strictSame(log, [
    'returning: return the routes of lo to NetworkManager',
    'it went; the rollback starts again when it runs again',
    returning,
    'addProfile',
  ]);
});

t.test('a state that NetworkManager has restored before the limit counts as restored', async (t) => {
  const reconnect = async (): Promise<never> => {
    throw refused('nothing comes back');
  };
  const { log, left } = await restore(t, { reconnect, completeUnaided: async () => true });
  t.equal(left, null);
  t.strictSame(log, ["NetworkManager's own timer has restored the old state"]);
});

t.test('while NetworkManager is not running, the parts of the rollback that do not need it are done', async (t) => {
  const reconnect = async (): Promise<never> => {
    throw refused('nothing comes back');
  };
  const { log, left } = await restore(t, { reconnect });
  t.match(left, { kind: 'not-restored', message: /nothing comes back/ });
  t.strictSame(log, ['NICs with addresses are freed']);
});

t.test('every final failure of the rollback is reported as not-restored', async (t) => {
  const fails = async (): Promise<never> => {
    throw refused('it cannot be');
  };
  const table: Readonly<Record<string, Played>> = {
    'no service can be reached again': { reconnect: fails },
    'in place, and after the checkpoint': { nm: { addProfile: fails } },
    'after the checkpoint alone': { planRestore: () => [step], checkpoints: [], nm: { addProfile: fails } },
    'without a checkpoint': { checkpoint: null, nm: { addProfile: fails } },
    'the node cannot be observed': { observe: fails },
    'the rollback cannot be planned': {
      planRestore: () => {
        throw refused('it cannot be');
      },
    },
    'Open vSwitch does not report its bridges': { ovs: { facts: fails } },
  };
  for (const [what, played] of Object.entries(table)) {
    const { left } = await restore(t, played);
    t.match(left, { kind: 'not-restored', message: /^the old state could not be fully restored: it cannot be$/ }, what);
    t.match(left?.hint, /^run `microshift-net disable` once the cause is fixed/, what);
    t.strictSame(left?.facts.missing, ['lo: 127.0.0.1/8'], what);
  }
});

t.test('an error that is not an AgentError is also reported as not-restored', async (t) => {
  const { left } = await restore(t, { checkpoint: null, nm: { addProfile: () => Promise.reject(new TypeError('x')) } });
  t.match(left, { kind: 'not-restored' });
});
