// Other programs change the uplink and br-ex while they are in use: the node stays reachable and returns to the desired
// state by itself. Changes that deactivate br-ex, changes of a bond, and restarts of NetworkManager with a bond are
// tested with the kernel's data path. default-route.test.ts restarts NetworkManager with a NIC and with a VLAN.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode, type TestNode } from './node.ts';
import { answersAgain } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

interface Event {
  readonly what: string;
  /**
   * Shell text of the event, in which NIC is the uplink, PROFILE the administrator's profile, and PORT a device below
   * the uplink with a carrier.
   */
  readonly shell: string;
  /** Foreign ports that br-ex has afterwards. */
  readonly keeps?: readonly string[];
}

/**
 * Veths of containers, which NetworkManager does not manage because of a udev rule; the LANs of these tests turn that
 * rule off.
 */
const guests = ['guest0', 'guest1'];
const guestFiles = {
  '/etc/NetworkManager/conf.d/guests.conf': '[keyfile]\nunmanaged-devices=interface-name:guest*\n',
};
const connectGuests =
  'for port in guest0 guest1; do ip link add $port type veth peer name $port-end; ovs-vsctl add-port br-ex $port; done';
const removeGuests = 'for port in guest0 guest1; do ovs-vsctl del-port br-ex $port; ip link delete $port; done';
const events: readonly Event[] = [
  { what: 'the cable out for some seconds', shell: 'link down; sleep 9; link up' },
  { what: 'nmcli device reapply', shell: 'nmcli device reapply $NIC' },
  { what: 'nmcli connection up', shell: 'timeout 5 nmcli connection up $PROFILE || true' },
  { what: 'nmcli device disconnect', shell: 'nmcli device disconnect $NIC' },
  { what: 'nmcli connection down', shell: 'nmcli connection down $PROFILE' },
  { what: 'guests connected to br-ex', shell: connectGuests, keeps: guests },
  { what: 'ovs-vsctl del-port', shell: 'ovs-vsctl del-port br-ex $NIC', keeps: guests },
  { what: 'ovs-vswitchd restarted', shell: 'systemctl restart ovs-vswitchd', keeps: guests },
  // Foreign ports are lost with a bridge that is deleted, and `verify` reports them from then on (others-lost.test.ts).
  { what: 'guests removed', shell: removeGuests },
  { what: 'nmcli connection down ovs-if-br-ex', shell: 'nmcli connection down ovs-if-br-ex' },
  { what: 'every profile of br-ex deleted', shell: 'nmcli connection delete ovs-if-br-ex ovs-port-br-ex br-ex' },
  { what: 'nmcli networking off and on', shell: 'nmcli networking off; sleep 1; nmcli networking on' },
];

/**
 * Events that are not tested with a bond: NetworkManager deletes a bond that is disconnected or taken down, also on a
 * node without br-ex; and default-route.test.ts restarts ovs-vswitchd with the kernel's data path.
 */
const notWithBond = /cable|device disconnect|connection down$|ovs-vswitchd restarted/;

/**
 * Limit for the repair, which takes a second or two after the event, and longer after a new start of a bond or on a
 * busy machine.
 */
const wantedLimitSeconds = 100;

/** Entries of other programs on br-ex. */
const foreign = `ip address add 10.44.0.0/32 dev br-ex; ovs-ofctl add-flow br-ex cookie=0x77,priority=5,udp,tp_dst=9,actions=drop
  ovs-vsctl add-port br-ex patch-out -- set interface patch-out type=patch options:peer=patch-in`;
const foreignLeft = `ip -o address show dev br-ex | grep -c ' 10.44.0.0/32 '; ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -c udp
  ovs-vsctl list-ports br-ex | grep -c patch-out`;

for (const { lan, nic, profile, kernel, events: some, after } of [
  {
    lan: 'dhcp',
    nic: 'eth0',
    profile: 'eth0',
    kernel: 'of this machine',
    events,
    after: async () => {},
  },
  {
    // A bond with LACP also covers a bond without LACP.
    lan: 'bond-8023ad',
    nic: 'bond0',
    profile: 'bond0',
    kernel: 'user-mode',
    // In the kernel's data path, NetworkManager releases the link of br-ex before it deactivates the bridge.
    events: events.filter(({ what }) => !notWithBond.test(what)),
    after: networkManagerRestarts,
  },
] as const) {
  t.test(
    `events, ${lan}, ${kernel === 'user-mode' ? "the kernel's" : 'userspace'} data path`,
    { skip: nodeSkip },
    async (t) => {
      const node = await bootNode({ lan, kernel, enableUnit: true, files: guestFiles });
      t.teardown(() => node.halt());
      await node.text('systemctl start microshift-ovs-init');
      await node.ready();
      const link = 'link() { ip netns exec lan ip link set peth0 "$1"; }';
      for (const event of some) {
        await t.test(event.what, async (t) => {
          const since = await node.now();
          await node.text(`NIC=${nic} PROFILE=${profile}; ${link}; ${event.shell}; sleep 1`);
          await becomesWanted(t, node, since);
          const ports = (await node.text('ovs-vsctl list-ports br-ex')).split('\n');
          t.ok(
            (event.keeps ?? []).every((port) => ports.includes(port)),
            ports.join(' '),
          );
          await answersAgain(t, node, since, node.lan.ip4);
        });
      }
      await after(t, node);
    },
  );
}

/** Restarts and kills NetworkManager: the node answers again by itself, with the entries of other programs. */
async function networkManagerRestarts(t: Test, node: TestNode): Promise<void> {
  await node.text(foreign);
  for (const way of ['systemctl restart', 'systemctl kill --signal=KILL'])
    await t.test(`${way} NetworkManager`, async (t) => {
      const since = await node.now();
      // The test waits for a fixed time in which the restart begins, so that a state from before it does not count.
      await node.text(`${way} NetworkManager; sleep 2`);
      await becomesWanted(t, node, since);
      t.equal(await node.text(foreignLeft), '1\n1\n1', 'the address, the flow and the port of others are there');
      await answersAgain(t, node, since, node.lan.ip4);
    });
}

async function becomesWanted(t: Test, node: TestNode, since: number): Promise<void> {
  const until = `${untilWanted(wantedLimitSeconds)}; cat /run/drift`;
  const end = await node.text(until);
  t.match(end, /^No drift/, 'the agent has restored the desired state by itself');
  if (!end.startsWith('No drift')) t.comment(await node.journal('microshift-net-repair'));
  t.comment(`in the desired state ${Math.round((await node.now()) - since)} ms after the event began`);
}
