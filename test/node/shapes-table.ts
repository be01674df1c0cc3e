// npm run shapes: what every shape of a node costs, one fresh node each, as the table of docs/shapes.md.
//   npm run shapes -- [--only dhcp,vlan] [--out FILE]
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bootNode, type MeasuredRun, type TestNode } from './node.ts';
import { projectDir } from './source.ts';

interface Shape {
  title: string;
  lan: string;
  /** Shell text after the LAN file. */
  lanAppend?: string;
  ovnYaml?: string;
}

/** A VLAN on top of the bond of bond-ab.sh, with the address of that LAN on VLAN 100. */
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

interface Cells {
  first: string;
  second: string;
  reboot: string;
  disable: string;
}

const unit = 'microshift-ovs-init.service';
const page = path.join(projectDir, 'docs/shapes.md');
const marks = { begin: '<!-- npm run shapes -->', end: '<!-- end -->' } as const;

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, out: { type: 'string', default: page } },
});

async function main(): Promise<void> {
  const only = options.only?.split(',');
  const rows: string[] = [];
  for (const shape of shapes) {
    if (only !== undefined && !only.includes(shape.lan)) continue;
    const cells = await measured(shape).catch((error: unknown) => failed(error));
    const row = `| ${shape.title} | ${cells.first} | ${cells.second} | ${cells.reboot} | ${cells.disable} |`;
    process.stdout.write(`${row}\n`);
    rows.push(row);
  }
  if (only === undefined) write(rows);
}

/** One life of a node: first run, second run, reboot with the unit, disable. */
async function measured({ lan, lanAppend, ovnYaml }: Shape): Promise<Cells> {
  const files = ovnYaml === undefined ? {} : { '/etc/microshift/ovn.yaml': ovnYaml };
  const node = await bootNode({ lan, files, ...(lanAppend === undefined ? {} : { lanAppend }) });
  try {
    const quiet = { sampleMemory: false };
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

/** Longest silence of every pinged address, and how long the command took. */
function figures(node: TestNode, run: MeasuredRun): string {
  if (run.exitCode !== 0) return `failed (${run.exitCode})`;
  const silences = node.lan.pinged.map((address) => Math.round(run.outageMs[address] ?? Number.NaN));
  return `${silences.join(' / ')} ms in ${seconds(run.wallMs)}`;
}

/** When the node answered first, and the longest silence from then until the unit had done its work. */
async function booted(node: TestNode): Promise<string> {
  const { exitCode } = await node.run(`systemctl start ${unit}`);
  if (exitCode !== 0) return `failed (${exitCode})`;
  await node.ready();
  const now = await node.now();
  const bootedAt = now - Number((await node.read('/proc/uptime'))?.split(' ')[0]) * 1000;
  const outages = await node.outages(bootedAt, now);
  const silences = node.lan.pinged.map((address) => {
    const outage = outages[address];
    const since = outage?.firstReplyAt ?? null;
    if (outage === undefined || since === null) return Number.NaN;
    return Math.max(0, ...outage.silences.filter(({ fromMs }) => fromMs >= since).map(({ ms }) => Math.round(ms)));
  });
  const answered = node.lan.awaited.map((address) => outages[address]?.firstReplyAt ?? Number.NaN);
  return `${silences.join(' / ')} ms, answers ${seconds(Math.max(...answered) - bootedAt)} after power on`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function failed(error: unknown): Cells {
  const [text = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return { first: text, second: '', reboot: '', disable: '' };
}

/** Puts the rows between the marks of the page. */
function write(rows: readonly string[]): void {
  const text = fs.readFileSync(options.out, 'utf8');
  const [before = '', rest = ''] = text.split(marks.begin);
  const [, after = ''] = rest.split(marks.end);
  const head = ['| shape | first run | second run | reboot | `disable` |', '|---|---|---|---|---|'];
  fs.writeFileSync(options.out, [before + marks.begin, ...head, ...rows, marks.end + after].join('\n'));
}

await main();
