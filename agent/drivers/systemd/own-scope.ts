import { encodeVariant } from '../dbus/codec.ts';
import type { Bus } from '../dbus/connection.ts';
import { manager } from './units.ts';

/** systemd makes a scope in milliseconds; a run does not wait for one that is busy. */
const answerMs = 2_000;

/**
 * Puts this process into a scope of its own (org.freedesktop.systemd1(5), StartTransientUnit). Its terminal, its pipes and its signals stay as
 * they are; when it has ended, in whatever way, systemd starts `whenItEnds`. Does nothing where systemd does not answer.
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
