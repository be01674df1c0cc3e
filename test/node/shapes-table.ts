// npm run shapes: cost of every shape of a node, measured on a fresh node each, as the table of docs/lab/shapes.md.
//   npm run shapes -- [--only dhcp,vlan] [--times 5] [--out FILE]
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fineGrained } from './lan.ts';
import { bootNode, type MeasuredRun, measuredSettleMs, type TestNode } from './node.ts';
import { projectDir } from './source.ts';

interface Shape {
  title: string;
  lan: string;
  /** Shell text that is appended to the LAN file. */
  lanAppend?: string;
  ovnYaml?: string;
}

/** A VLAN on the bond of bond-ab.sh, with the address of that LAN on VLAN 100. */
const vlanOnBond = `NODE_IF=bond0.100
lan() { nic eth0; nic eth1; lan_vlan lan0 100; lan_ip lan0.100 192.0.2.1/24; dhcp lan0.100 $(pool4) --dhcp-host=$(mac_of eth0),$(mac_of eth1),192.0.2.50; }
profiles() {
  keyfile bond0 <<< $'[connection]\\nid=bond0\\nuuid=0000b000-0000-4000-8000-00000000b000\\ntype=bond\\ninterface-name=bond0\\n[bond]\\nmode=active-backup\\nmiimon=100\\n[ipv4]\\nmethod=disabled\\n[ipv6]\\nmethod=disabled'
  for i in 0 1; do keyfile bond0-port$i <<< $'[connection]\\nid=bond0-port'$i$'\\nuuid=0000b01'$i$'-0000-4000-8000-00000000b01'$i$'\\ntype=ethernet\\ninterface-name=eth'$i$'\\nmaster=bond0\\nslave-type=bond'; done
  keyfile vlan100 <<< $'[connection]\\nid=vlan100\\nuuid=00000100-0000-4000-8000-000000000100\\ntype=vlan\\ninterface-name=bond0.100\\n[vlan]\\nid=100\\nparent=bond0\\n[ipv4]\\nmethod=auto\\n[ipv6]\\nmethod=disabled'
}`;

const shapes: readonly Shape[] = [
  { title: 'NIC, DHCP', lan: 'dhcp' },
  { title: 'NIC, fixed IPv4', lan: 'static4' },
  { title: 'NIC, fixed IPv4 and IPv6', lan: 'static-dual' },
  { title: 'NIC, DHCP and router advertisements', lan: 'slaac' },
  { title: 'NIC, several addresses, routes and rules', lan: 'static-multi' },
  { title: 'NIC, fixed IPv6 only', lan: 'v6only' },
  { title: 'VLAN, DHCP', lan: 'vlan' },
  { title: 'VLAN on a bond, DHCP', lan: 'bond-ab', lanAppend: vlanOnBond },
  { title: 'bond active-backup, DHCP', lan: 'bond-ab' },
  { title: 'bond 802.3ad, DHCP', lan: 'bond-8023ad' },
  { title: 'br-ex and br-ex1', lan: 'extra-bridge' },
  { title: 'two NICs with default routes', lan: 'two-nics-metric' },
  { title: 'no NIC (`uplink: none`)', lan: 'dhcp', ovnYaml: 'uplink: none\n' },
];

/** Cost of one command or boot: the longest silence of every pinged address, and a duration. */
interface Figures {
  readonly silencesMs: readonly number[];
  readonly tookMs: number;
}

/** Measurement of a node from its boot to its end. */
interface Life {
  readonly first: Figures;
  readonly second: Figures;
  readonly reboot: Figures;
  readonly disable: Figures;
}

const unit = 'microshift-ovs-init.service';
const page = path.join(projectDir, 'docs/lab/shapes.md');
const marks = { begin: '<!-- npm run shapes -->', end: '<!-- end -->' } as const;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    times: { type: 'string', default: '1' },
    out: { type: 'string', default: page },
  },
});

async function main(): Promise<void> {
  const only = options.only?.split(',');
  for (const shape of shapes) {
    if (only !== undefined && !only.includes(shape.lan)) continue;
    const row = `| ${shape.title} | ${await cellsOf(shape)} |`;
    process.stdout.write(`${row}\n`);
    write(shape, row);
  }
}

/** Returns the cells of a shape's row: medians over --times nodes, or the message of a failed measurement. */
async function cellsOf(shape: Shape): Promise<string> {
  const lives: Life[] = [];
  try {
    for (let time = 0; time < Number(options.times); time++) lives.push(await measured(shape));
  } catch (error) {
    const [text = ''] = String(error instanceof Error ? error.message : error).split('\n');
    process.exitCode = 1;
    return `${text} | | |`;
  }
  const silence = (part: keyof Life): string => {
    const [one] = lives;
    const indexes = one?.[part].silencesMs.map((_, index) => index) ?? [];
    return indexes.map((index) => median(lives.map((life) => life[part].silencesMs[index] ?? Number.NaN))).join(' / ');
  };
  const took = (part: keyof Life): string => `${(median(lives.map((life) => life[part].tookMs)) / 1000).toFixed(1)} s`;
  return [
    `${silence('first')} ms in ${took('first')}`,
    `${silence('second')} ms in ${took('second')}`,
    `${silence('reboot')} ms, answers ${took('reboot')} after power on`,
    `${silence('disable')} ms in ${took('disable')}`,
  ].join(' | ');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

/** Runs the life of one node: first run, second run, reboot with the unit, `disable`. */
async function measured({ lan, lanAppend = '', ovnYaml }: Shape): Promise<Life> {
  const files = ovnYaml === undefined ? {} : { '/etc/microshift/ovn.yaml': ovnYaml };
  const node = await bootNode({ lan, files, lanAppend: `${lanAppend}\n${fineGrained}` });
  try {
    const quiet = { settleMs: measuredSettleMs };
    const first = figures(node, await node.measure('microshift-net apply', quiet));
    const second = figures(node, await node.measure('microshift-net apply', quiet));
    await node.text(`systemctl enable --quiet ${unit}; sync`);
    await node.reboot();
    const reboot = await booted(node);
    return { first, second, reboot, disable: figures(node, await node.measure('microshift-net disable', quiet)) };
  } finally {
    await node.halt();
  }
}

function figures(node: TestNode, run: MeasuredRun): Figures {
  if (run.exitCode !== 0) throw new Error(`failed (${run.exitCode})`);
  const silencesMs = node.lan.pinged.map((address) => Math.round(run.outageMs[address] ?? Number.NaN));
  return { silencesMs, tookMs: run.wallMs };
}

/**
 * Runs the unit after a boot; returns the time from power on until all awaited addresses have answered, and each
 * address's longest silence after its first answer.
 */
async function booted(node: TestNode): Promise<Figures> {
  const { exitCode } = await node.run(`systemctl start ${unit}`);
  if (exitCode !== 0) throw new Error(`the unit failed (${exitCode})`);
  await node.ready();
  const now = await node.now();
  const bootedAt = now - Number((await node.read('/proc/uptime'))?.split(' ')[0]) * 1000;
  const outages = await node.outages(bootedAt, now);
  const silencesMs = node.lan.pinged.map((address) => {
    const outage = outages[address];
    const since = outage?.firstReplyAt ?? null;
    if (outage === undefined || since === null) return Number.NaN;
    return Math.max(0, ...outage.silences.filter(({ fromMs }) => fromMs >= since).map(({ ms }) => Math.round(ms)));
  });
  const answered = node.lan.awaited.map((address) => outages[address]?.firstReplyAt ?? Number.NaN);
  return { silencesMs, tookMs: Math.max(...answered) - bootedAt };
}

/** Writes a row between the marks of the page, in the place of the row of the same shape. */
function write({ title }: Shape, row: string): void {
  const text = fs.readFileSync(options.out, 'utf8');
  const [before = '', rest = ''] = text.split(marks.begin);
  const [table = '', after = ''] = rest.split(marks.end);
  const present = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| shape |'));
  const rowOf = (shape: Shape): string[] => {
    if (shape.title === title) return [row];
    return present.filter((line) => line.startsWith(`| ${shape.title} |`));
  };
  const head = ['| shape | first run | second run | reboot | `disable` |', '|---|---|---|---|---|'];
  const lines = [before + marks.begin, ...head, ...shapes.flatMap(rowOf), marks.end + after];
  fs.writeFileSync(options.out, lines.join('\n'));
}

await main();
