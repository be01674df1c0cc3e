import { connect } from '../../agent/drivers/ovsdb/index.ts';
import type { Central } from './central.ts';

/** A running ovn-trace(8). It has the flows that the southbound database contained at its start. */
export interface Tracer {
  /** Returns the trace of a packet (microflow) in a logical datapath, in the format of an option of ovn-trace. */
  trace(datapath: string, microflow: string, format?: '--minimal' | '--detailed'): Promise<string>;
  end(): Promise<void>;
}

/** Number of lookups in the connection tracker that no test exceeds between two changes of rows. */
const lookups = 20_000;
const limitMs = 60_000;
/** Number of started daemons; a daemon that ends may remove its socket after the next one has created another. */
let started = 0;

/**
 * Starts ovn-trace as a daemon, which reads the database once and not for each packet. All packets are new to the
 * connection tracker. The daemon ends with the southbound database at the latest, because it does not connect again.
 */
export async function startTracer(central: Central): Promise<Tracer> {
  started += 1;
  const socket = `${central.folder}/trace-${started}.ctl`;
  // The daemon uses each given state for one lookup, and `est` after the last one (ovn-trace.c, next_ct_state).
  const states = Array.from({ length: lookups }, () => '--ct=new');
  central.run('ovn-trace', '--detach', '--no-chdir', `--unixctl=${socket}`, ...states);
  const client = await connect(socket, limitMs);
  return {
    trace: async (datapath, microflow, format = '--minimal') => {
      const text = String(await client.call('trace', [format, datapath, microflow]));
      if (/ct_next\(ct_state=est/.test(text)) throw new Error('ovn-trace has no states left for further lookups');
      return text;
    },
    end: async () => {
      await client.call('exit', []);
      client.close();
    },
  };
}
