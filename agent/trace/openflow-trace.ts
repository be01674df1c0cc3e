/** Reads what ofproto/trace of ovs-vswitchd(8) prints: by which ports a packet leaves, and which flows it met. */

export interface OpenFlowOutput {
  readonly bridge: string;
  /** Number of the port within its bridge. */
  readonly port: number;
  /** What the flows wrote before: the keys of a tunnel. */
  readonly tunId: number | null;
  readonly metadata: number | null;
}

export interface OpenFlowTrace {
  readonly outputs: readonly OpenFlowOutput[];
  /** Bridges that forward by what they have learned, as they do without flows of anybody. */
  readonly learning: readonly string[];
  /** ovn-controller gets a copy, to answer or to ask for itself. */
  readonly isForController: boolean;
  /** The flows that were met, of those that have a cookie: eight digits each. */
  readonly cookies: readonly string[];
  /** What went wrong, in Open vSwitch's words. */
  readonly remarks: readonly string[];
}

/** What the flows have written so far. */
interface Written {
  tunId: number | null;
  metadata: number | null;
}

const trouble = /^(?:>>>>|-> (?:native tunnel routing failed|neighbor cache miss|tunnel.*failed))/;

export function parseOpenFlowTrace(text: string): OpenFlowTrace {
  const outputs: OpenFlowOutput[] = [];
  const learning = new Set<string>();
  const remarks: string[] = [];
  /** Bridges by how deep they are printed: a patch port leads into another one, and back. */
  const bridges: { readonly depth: number; readonly name: string }[] = [];
  const written: Written = { tunId: null, metadata: null };
  const cookies: string[] = [];
  let isForController = false;
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (words === '' || /^[-=]+$/.test(words)) continue;
    const depth = line.search(/\S/);
    // What a bridge does is deeper than its name, save the flows that it looks up.
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

/** Follows the two fields that become the tunnel's keys. */
function note(written: Written, words: string): void {
  const [, value, field] = /^set_field:(0x[0-9a-f]+|\d+)(?:\/0x[0-9a-f]+)?->(tun_id|tun_metadata0)$/.exec(words) ?? [];
  if (field === 'tun_id') written.tunId = Number(value);
  if (field === 'tun_metadata0') written.metadata = Number(value);
  const [, low, result] = /^-> NXM_NX_TUN_METADATA0\[(\d+)\.\.\d+\] is now (0x[0-9a-f]+|\d+)$/.exec(words) ?? [];
  if (low !== undefined)
    written.metadata = ((written.metadata ?? 0) % 2 ** Number(low)) + Number(result) * 2 ** Number(low);
}
