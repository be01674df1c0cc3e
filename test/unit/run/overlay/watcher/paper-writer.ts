import { foundIn } from '../../../../../agent/overlay/rows/desired-rows.ts';
import { createWriter } from '../../../../../agent/run/overlay/watcher/writer.ts';
import { emptyNorthbound } from '../../../overlay/cluster.ts';

type WriterParameters = Parameters<typeof createWriter>;

/** Starts a writer of an empty database that accepts every transaction; `transacted` is called before each. */
export function paperWriter(
  facts: WriterParameters[1],
  reports: WriterParameters[2],
  transacted: () => void = () => undefined,
): ReturnType<typeof createWriter> {
  const { existing, shape } = foundIn(emptyNorthbound().rows());
  const database = {
    existing,
    shape,
    isOwner: true,
    onChange: () => undefined,
    // This answer needs no turn of the event loop, so only the writer itself can let the loop run.
    transact: () => {
      transacted();
      return Promise.resolve('written' as const);
    },
    onOwner: () => undefined,
    close: () => Promise.resolve(),
  };
  return createWriter(database as never, facts, reports);
}
