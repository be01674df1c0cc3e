// make demo-overlay: two nodes become one network on OVN, and one of them is the gateway to the LAN. With KEEP=1, the
// first node has a shell at the end.
import type { TestNode } from './node.ts';
import { bootTwoNodes, identity, reach } from './overlay-cluster.ts';
import { type Drawn, picture } from './overlay-picture.ts';
import { bootWithPackages, installPackages } from './packaged.ts';
import { onSecond, second } from './second-node.ts';
import { shell } from './shell.ts';
import { heading, indent, ms, say } from './telling.ts';

const first = 'node';

/**
 * Runs a command on a node, and prints the command and its output as a terminal would show them; returns the standard
 * output.
 */
async function show(node: TestNode, on: string, command: string, expected = 0): Promise<string> {
  say(`${on}$ ${command}`);
  const words = on === first ? command : `${onSecond} sh -c '${command}'`;
  const run = await node.run(words);
  say(indent(`${run.stderr}${run.stdout}`));
  if (run.exitCode !== expected) throw new Error(`exit code ${run.exitCode}, not ${expected}`);
  say(`  (${ms(run.wallMs)})`);
  return run.stdout;
}

async function main(): Promise<void> {
  heading('Two nodes boot on one LAN: systemd, NetworkManager, Open vSwitch; each moves its NIC under br-ex');
  const node = await bootWithPackages((options) => bootTwoNodes(options, installPackages));
  try {
    for (const on of [first, second.name]) await show(node, on, 'microshift-net status');

    heading('The first node begins a cluster, and the second one joins it');
    await show(node, first, 'microshift-net overlay init');
    const issue = `microshift-net overlay pki issue ${second.name} --system-id "$(${onSecond} ${identity})"`;
    await node.text(`${issue} | ${onSecond} tee /root/bundle > /dev/null`);
    await show(node, second.name, 'microshift-net overlay join /root/bundle');

    heading('A tunnel between them');
    await draw(node);
    await show(node, first, reach('10.42.1.2'));
    await show(node, second.name, reach('10.42.0.2'));

    heading('The second node is the gateway: packets to 198.51.100.0/24 leave there, with its address');
    await show(node, second.name, 'microshift-net overlay gateway');
    await draw(node);
    await node.text('ip route replace 198.51.100.0/24 via 10.42.0.1 dev ovn-k8s-mp0');
    await show(node, first, reach('198.51.100.1'));

    heading('The path of these packets');
    await show(node, first, `microshift-net overlay trace ${first} ${second.name}`);
    await show(node, first, `microshift-net overlay trace ${first} 198.51.100.1`);

    heading("One node's power is cut");
    await node.text('systemctl stop second-node');
    await show(node, first, reach('10.42.1.2', 2), 1);
    await show(node, first, 'microshift-net overlay verify');

    heading('The node boots, and is reachable without a command');
    await node.text('systemctl start second-node');
    await show(node, first, reach('10.42.1.2'));
    await show(node, first, reach('198.51.100.1'));
    await draw(node);
    if (process.env.KEEP === '1') await shell(node);
  } finally {
    await node.halt();
  }
}

/** Prints a picture of the nodes, subnets, tunnels and gateways, as the central node has them. */
async function draw(node: TestNode): Promise<void> {
  const { nodes }: { nodes: Drawn[] } = JSON.parse(await node.text('microshift-net overlay nodes --output json'));
  say(picture(nodes));
}

await main();
