// The address that lo has for MicroShift is the one that br-ex has: it follows a lease that becomes another one. The node would answer for an address of
// another machine otherwise.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { microshiftStandIn } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';
import { untilWanted } from './until-wanted.ts';

/** dnsmasq grants no lease shorter than 2 minutes, which a client renews after one. It reads the file with the addresses again when it is asked to. */
const shortLeases = `
lan() {
  nic eth0; lan_ip lan0 192.0.2.1/24
  echo "$(mac_of eth0),192.0.2.50" > /run/testnode/hosts
  dhcp lan0 --dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,2m --dhcp-hostsfile=/run/testnode/hosts --dhcp-option=option:router,192.0.2.1
}`;
const server = "$(pgrep --full '[d]hcp-hostsfile')";
const addressesOf = (link: string): string =>
  `ip -o -4 address show dev ${link} scope global | awk '{print $4}' | tr '\\n' ' '`;
// A client renews its lease after a minute.
const until = (condition: string): string => `timeout 200 sh -c 'until ${condition}; do sleep 2; done'`;
const hasOnly = (link: string, address: string): string =>
  until(`[ "$(ip -o -4 address show dev ${link} scope global | cut -d " " -f 7 | tr "\\n" " ")" = "${address}" ]`);

t.test('lo follows the lease of br-ex', { skip: nodeSkip, timeout: 900_000 }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', lanAppend: shortLeases, enableUnit: true, files: microshiftStandIn });
  t.teardown(() => node.halt());
  // The unit may have begun at the boot: systemctl waits for its end.
  await node.text('systemctl start microshift-ovs-init');
  t.equal(await node.text(addressesOf('lo')), '192.0.2.50/32 ');
  const verified = await node.run('microshift-net verify');
  t.equal(verified.exitCode, 0, verified.stdout);

  await node.text(
    `sed -i s/192.0.2.50/192.0.2.60/ /run/testnode/hosts && kill -HUP ${server} && ${hasOnly('lo', '192.0.2.60/32 ')}`,
    { timeoutMs: 260_000 },
  );
  t.match(await node.text(addressesOf('br-ex')), '192.0.2.60/24', 'another lease');
  await node.text(untilWanted(200), { timeoutMs: 260_000 });
});
