/**
 * Parser of the output of ofproto/trace (ovs-vswitchd(8)): the ports by which a packet leaves, and the flows that it
 * matched.
 */

export interface OpenFlowOutput {
  readonly bridge: string;
  /** OpenFlow number of a port by which the packet leaves a bridge. */
  readonly port: number;
  /** Tunnel key that the matched flows wrote before the packet left by this port; null if they wrote none. */
  readonly tunId: number | null;
  readonly metadata: number | null;
  /** Remote end of a tunnel that the flows wrote before the packet left by this port; null if they wrote none. */
  readonly remote: string | null;
}

export interface OpenFlowTrace {
  readonly outputs: readonly OpenFlowOutput[];
  /** Bridges on the path that forward by their MAC learning tables (action NORMAL). */
  readonly learning: readonly string[];
  /** True if ovn-controller gets a copy of the packet, to answer it or to resolve a neighbour. */
  readonly isForController: boolean;
  /** Cookies of the matched flows, eight digits each; flows without a cookie are left out. */
  readonly cookies: readonly string[];
  /** Errors as ofproto/trace has printed them. */
  readonly remarks: readonly string[];
}

/** Values that flows have written to tun_id, tun_metadata0 and tun_dst, up to the present line of the output. */
interface Written {
  tunId: number | null;
  metadata: number | null;
  remote: string | null;
}

const trouble = /^(?:>>>>|-> (?:native tunnel routing failed|neighbor cache miss|tunnel.*failed))/;

export function parseOpenFlowTrace(text: string): OpenFlowTrace {
  const outputs: OpenFlowOutput[] = [];
  const learning = new Set<string>();
  const remarks: string[] = [];
  /**
   * Bridges that the packet is in, each with the indentation of its part of the output. A patch port leads to another
   * bridge, whose part ends where the indentation decreases.
   */
  const bridges: { readonly depth: number; readonly name: string }[] = [];
  const written: Written = { tunId: null, metadata: null, remote: null };
  const cookies: string[] = [];
  let isForController = false;
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (words === '' || /^[-=]+$/.test(words)) continue;
    const depth = line.search(/\S/);
    // In the output, the name of a bridge and its flows have the same indentation, and the actions of the flows have
    // the next larger one.
    const least = /^\d+\. /.test(words) ? 0 : 1;
    while (bridges.length > 1 && depth < (bridges.at(-1)?.depth ?? 0) + least) bridges.pop();
    const bridge = /^bridge\("(.*)"\)$/.exec(words)?.[1];
    if (bridge !== undefined) bridges.push({ depth, name: bridge });
    const name = bridges.at(-1)?.name ?? '';
    note(written, words);
    const cookie = /^\d+\. .*, cookie 0x([0-9a-f]+)$/.exec(words)?.[1];
    if (cookie !== undefined) cookies.push(cookie.padStart(8, '0'));
    const port = /^output:(\d+)$/.exec(words)?.[1];
    if (port !== undefined) outputs.push({ bridge: name, port: Number(port), ...written });
    if (words === 'NORMAL') learning.add(name);
    if (words.startsWith('controller(')) isForController = true;
    if (trouble.test(words)) remarks.push(words.replace(/^(?:>+|->) /, ''));
  }
  return { outputs, learning: [...learning], isForController, cookies, remarks };
}

/**
 * Records a write to tun_id or tun_metadata0, the fields whose values become the keys in the tunnel's header, or to
 * tun_dst, the remote end of a tunnel whose port names none.
 */
function note(written: Written, words: string): void {
  const [, remote] = /^set_field:([0-9.]+)->tun_dst$/.exec(words) ?? [];
  if (remote !== undefined) written.remote = remote;
  const [, value, field] = /^set_field:(0x[0-9a-f]+|\d+)(?:\/0x[0-9a-f]+)?->(tun_id|tun_metadata0)$/.exec(words) ?? [];
  if (field === 'tun_id') written.tunId = Number(value);
  if (field === 'tun_metadata0') written.metadata = Number(value);
  const [, low, result] = /^-> NXM_NX_TUN_METADATA0\[(\d+)\.\.\d+\] is now (0x[0-9a-f]+|\d+)$/.exec(words) ?? [];
  if (low !== undefined)
    written.metadata = ((written.metadata ?? 0) % 2 ** Number(low)) + Number(result) * 2 ** Number(low);
}
