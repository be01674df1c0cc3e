import { connect } from '../../agent/drivers/ovsdb/index.ts';
import type { Central } from './central.ts';

/** A running ovn-trace(8). It has the flows that the southbound database contained at its start. */
export interface Tracer {
  /** Returns the minimal trace of a new connection's packet (microflow) in a logical datapath. */
  trace(datapath: string, microflow: string): Promise<string>;
  end(): Promise<void>;
}

/**
 * Number of lookups in the connection tracker for which the states are given. Each returns `new`; a packet passes fewer
 * lookups.
 */
const lookups = 12;
const limitMs = 60_000;

/**
 * Starts ovn-trace as a daemon, which reads the database once and not for each packet. It ends with the southbound
 * database at the latest, because it does not connect again.
 */
export async function startTracer(central: Central): Promise<Tracer> {
  const socket = `${central.folder}/trace.ctl`;
  const states = Array.from({ length: lookups }, () => '--ct=new');
  central.run('ovn-trace', '--detach', '--no-chdir', '--minimal', `--unixctl=${socket}`, ...states);
  const client = await connect(socket, limitMs);
  return {
    trace: async (datapath, microflow) => String(await client.call('trace', ['--minimal', datapath, microflow])),
    end: async () => {
      await client.call('exit', []);
      client.close();
    },
  };
}
