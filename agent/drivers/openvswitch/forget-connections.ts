import { run } from '../host/process/exec.ts';

/**
 * Time limit for one command. ovs-vswitchd searches all tracked connections; in the userspace data path these are at
 * most three million by default (lib/conntrack.c, DEFAULT_N_CONN_LIMIT).
 */
const answerMs = 15_000;

/** An address and a port. */
interface End {
  readonly address: string;
  readonly port: number;
}

/**
 * Removes tracked UDP connections in every zone of connection tracking (ovs-ofctl(8), ct-flush, since Open vSwitch
 * 3.1): those that clients have opened to the address and port `at`, and whose replies come from `server`. Resolves
 * with false if Open vSwitch does not accept the command.
 */
export async function forgetConnections(bridge: string, at: End, server: End, runDirectory: string): Promise<boolean> {
  const [there, back] = at.address.includes(':') ? ['ct_ipv6_dst', 'ct_ipv6_src'] : ['ct_nw_dst', 'ct_nw_src'];
  const asked = `${there}=${at.address},ct_nw_proto=17,ct_tp_dst=${at.port}`;
  const answered = `${back}=${server.address},ct_nw_proto=17,ct_tp_src=${server.port}`;
  const words = ['-O', 'OpenFlow15', 'ct-flush', `unix:${runDirectory}/${bridge}.mgmt`, asked, answered];
  return (await run('ovs-ofctl', words, answerMs)).exitCode === 0;
}
