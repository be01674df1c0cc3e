import type { Bus } from '../dbus/bus-connection.ts';
import { encodeVariant } from '../dbus/codec.ts';
import { manager } from './systemd-units.ts';

/** Time limit for the answer. systemd makes a scope in milliseconds, and a run does not wait for a busy systemd. */
const answerMs = 2_000;

/**
 * Moves this process into a scope of its own (org.freedesktop.systemd1(5), StartTransientUnit). Terminal, pipes and
 * signals stay as they are. After the process has ended, in whatever way, systemd starts the unit `whenItEnds`. If
 * systemd does not answer, nothing happens.
 */
export async function startWhenThisEnds(bus: Bus, id: string, whenItEnds: string): Promise<void> {
  const properties = [
    ['Description', ['s', `A change of the network by microshift-net, transaction ${id}`]],
    ['PIDs', ['au', [process.pid]]],
    ['OnSuccess', ['as', [whenItEnds]]],
    ['OnFailure', ['as', [whenItEnds]]],
    ['CollectMode', ['s', 'inactive-or-failed']],
  ] as const;
  await bus
    .call({
      ...manager,
      member: 'StartTransientUnit',
      signature: 'ssa(sv)a(sa(sv))',
      body: [
        `microshift-net-${id}.scope`,
        'fail',
        properties.map(([name, value]) => [name, encodeVariant([value[0], value[1]])]),
        [],
      ],
      timeoutMs: answerMs,
    })
    .catch(() => undefined);
}
