// make demo: a node moves its NIC under br-ex, as seen from the LAN. With KEEP=1, the node has a shell at the end.
import { fineGrained } from './lan.ts';
import { bootNode, measuredSettleMs, type TestNode } from './node.ts';
import { bootWithPackages, installPackages } from './packaged.ts';
import { shell } from './shell.ts';
import { heading, indent, ms, say } from './telling.ts';

const unit = 'microshift-ovs-init.service';

/** Runs a command in the node, prints its output, and prints the time for which the node did not answer on the LAN. */
async function show(node: TestNode, command: string, options: { quiet?: boolean; log?: boolean } = {}): Promise<void> {
  say(`$ ${command}`);
  const run = await node.measure(command, { settleMs: measuredSettleMs });
  if (options.log) say(indent(await node.text(`journalctl -q -b -o cat --no-pager -u ${unit} -t microshift-net`)));
  const output = `${run.stderr}${run.stdout}`;
  if (output.trim() !== '') say(indent(output));
  if (options.quiet) return;
  const away = Object.entries(run.outages).map(([address, outage]) =>
    outage.longestMs === 0 ? `${address} always answered` : `${address} was away for ${ms(outage.longestMs)}`,
  );
  say(`\n  exit code ${run.exitCode}, ${ms(run.wallMs)}; seen from the LAN: ${away.join(', ')}`);
}

async function main(): Promise<void> {
  heading('A node boots: systemd, NetworkManager, Open vSwitch, a LAN with DHCP');
  const node = await bootWithPackages((options) => bootNode({ ...options, lan: 'dhcp', lanAppend: fineGrained }));
  try {
    say(
      indent(
        await node.text(
          'ip -br -4 addr show eth0; ip route show default; systemctl is-active NetworkManager openvswitch | paste -sd " "',
        ),
      ),
    );
    heading('The package is installed');
    await installPackages(node);
    say(
      indent(
        await node.text(
          'rpm -qa "microshift-net*"; systemctl list-unit-files --no-legend "microshift-*" --state=enabled',
        ),
      ),
    );
    heading('What would be done');
    await show(node, 'microshift-net plan', { quiet: true });
    heading('The change, as the unit makes it at boot');
    await show(node, `systemctl start ${unit}`, { log: true });
    heading('The node now');
    await show(node, 'microshift-net status', { quiet: true });
    heading('Once more: nothing to do');
    await show(node, 'microshift-net apply');
    heading('Reboot: power on, kernel, systemd, Open vSwitch; up to a minute');
    const readyMs = await node.reboot();
    const answeredAt = await node.now();
    say(`  answered the LAN ${ms(readyMs)} after power on; waiting until systemd has started every unit`);
    const result = await node.text(`systemctl is-system-running --wait > /dev/null; systemctl show -P Result ${unit}`);
    const done = Number(await node.text(`systemctl show -P ExecMainExitTimestampMonotonic ${unit}`)) / 1000;
    say(`  the unit ended ${ms(done)} after power on: ${result}`);
    for (const [address, outage] of Object.entries(await node.outages(answeredAt - 60_000, await node.now()))) {
      const away = outage.silences.filter((silence) => silence.fromMs >= (outage.firstReplyAt ?? 0));
      say(`  ${address} was then away for ${ms(Math.max(0, ...away.map((silence) => silence.ms)))}`);
    }
    await show(node, 'microshift-net status', { quiet: true });
    if (process.env.KEEP === '1') await shell(node);
  } finally {
    await node.halt();
  }
}

await main();
