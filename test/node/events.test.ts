// Changes by other programs to the uplink and br-ex in use: the node stays reachable and returns to the desired state
// by itself. Those that take br-ex down and those on a bond have the kernel's data path.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode, type TestNode } from './node.ts';
import { answersAgain } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

interface Event {
  readonly what: string;
  /** NIC is the uplink, PROFILE the admin's profile, PORT a device below it that has a cable. */
  readonly shell: string;
  /** Ports of others that br-ex has afterwards. */
  readonly keeps?: readonly string[];
}

/**
 * Containers' cables, which NetworkManager leaves alone by a rule of udev's that the LANs of these tests switch off.
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
  // Ports of other programs go with a bridge that is deleted, and `verify` reports them from then on
  // (others-lost.test.ts).
  { what: 'guests removed', shell: removeGuests },
  { what: 'nmcli connection down ovs-if-br-ex', shell: 'nmcli connection down ovs-if-br-ex' },
  { what: 'every profile of br-ex deleted', shell: 'nmcli connection delete ovs-if-br-ex ovs-port-br-ex br-ex' },
  { what: 'nmcli networking off and on', shell: 'nmcli networking off; sleep 1; nmcli networking on' },
];

/** With the kernel's data path NetworkManager forgets the link of br-ex before it takes the bridge down. */
const takesBridgeDown = /ovs-if-br-ex|every profile/;

/** A run takes a second or two after the event; a bond that is started again and a busy machine some more. */
const wantedLimitSeconds = 100;

for (const { lan, nic, profile, kernel, events: some } of [
  { lan: 'dhcp', nic: 'eth0', profile: 'eth0', kernel: 'of this machine', events },
  {
    lan: 'dhcp',
    nic: 'eth0',
    profile: 'eth0',
    kernel: 'user-mode',
    events: events.filter(({ what }) => takesBridgeDown.test(what)),
  },
  {
    lan: 'bond-ab',
    nic: 'bond0',
    profile: 'bond0',
    kernel: 'user-mode',
    // NetworkManager deletes a bond that is disconnected or taken down, as on a node without br-ex.
    events: events.filter(({ what }) => !/cable|disconnect|down|delete/.test(what)),
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
          await node.ready();
          const ports = (await node.text('ovs-vsctl list-ports br-ex')).split('\n');
          t.ok(
            (event.keeps ?? []).every((port) => ports.includes(port)),
            ports.join(' '),
          );
          await answersAgain(t, node, since, node.lan.ip4);
        });
      }
    },
  );
}

async function becomesWanted(t: Test, node: TestNode, since: number): Promise<void> {
  const until = `${untilWanted(wantedLimitSeconds)}; cat /run/drift`;
  const end = await node.text(until);
  t.match(end, /^No drift/, 'in the desired state again, by itself');
  if (!end.startsWith('No drift')) t.comment(await node.journal('microshift-net-repair'));
  t.comment(`in the desired state ${Math.round((await node.now()) - since)} ms after the event began`);
}
