// Refused requests: each ends with one clear line and its exit code, and the node does not change.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';
import { areRefused, type Refusal } from './refusal.ts';

const configFile = '/etc/microshift/ovn.yaml';
const kernel = 'of this machine';
const lostProfile = '/etc/NetworkManager/system-connections/lost.nmconnection';
const vswitchdPid = '$(cat /run/openvswitch/ovs-vswitchd.pid)';

const ethProfile = '/etc/NetworkManager/system-connections/eth0.nmconnection';
const confFile = '/etc/NetworkManager/conf.d/90-test.conf';

const refusals: Refusal[] = [
  {
    name: 'a NIC that does not exist',
    given: `echo 'uplink: eth9' > ${configFile}`,
    after: `rm ${configFile}`,
    exitCode: 2,
    says: /eth9.*eth0/,
  },
  {
    name: 'a VLAN whose parent is gone',
    given: `echo 'uplink: eth7.100' > ${configFile}
      printf '[connection]\\nid=lost\\ntype=vlan\\ninterface-name=eth7.100\\n[vlan]\\nid=100\\nparent=eth7\\n[ipv4]\\nmethod=auto\\n' > ${lostProfile}
      chmod 600 ${lostProfile}; nmcli connection reload`,
    after: `rm ${configFile}; nmcli connection delete lost`,
    exitCode: 2,
    says: /eth7\.100.*does not exist; start its profile "lost" \(nmcli connection up uuid \S+\), or use one of: eth0/,
  },
  {
    name: 'a team that never started, because there is no teamd',
    given: `mv /usr/bin/teamd /root/; echo 'uplink: team0' > ${configFile}
      printf '[connection]\\nid=lost\\ntype=team\\ninterface-name=team0\\nautoconnect=false\\n[ipv4]\\nmethod=auto\\n' > ${lostProfile}
      chmod 600 ${lostProfile}; nmcli connection reload; nmcli --wait 10 connection up lost
      timeout 90 sh -c 'while [ -e /sys/class/net/team0 ]; do sleep 0.1; done'`,
    after: `mv /root/teamd /usr/bin/; rm ${configFile}; nmcli connection delete lost`,
    exitCode: 2,
    says: /team0.*does not exist; start its profile "lost" \(nmcli connection up uuid \S+\), or use one of: eth0/,
  },
  { name: 'not root', command: asNobody('apply'), exitCode: 2, says: /needs root.*sudo microshift-net apply/ },
  { name: 'not root, plan', command: asNobody('plan'), exitCode: 2, says: /needs root/ },
  { name: 'not root, disable', command: asNobody('disable'), exitCode: 2, says: /needs root/ },
  {
    name: 'not root, history',
    command: asNobody('history'),
    exitCode: 2,
    says: /needs root, because only root and the group systemd-journal may read the journals/,
  },
  { name: 'a command that does not exist', command: 'microshift-net aply', exitCode: 2, says: /aply/ },
  { name: 'an invalid time', command: 'microshift-net apply --confirm-timeout x', exitCode: 2, says: /seconds/ },
  { name: 'nothing to confirm', command: 'microshift-net confirm', exitCode: 2, says: /no change waits/ },
  { name: 'nothing to undo', command: 'microshift-net undo', exitCode: 2, says: /no transaction to undo/ },
  {
    name: 'NetworkManager is stopped',
    given: 'systemctl stop NetworkManager',
    after: 'systemctl start NetworkManager',
    exitCode: 5,
    says: /NetworkManager is not running; start it with: systemctl start NetworkManager/,
  },
  {
    name: 'NetworkManager has no Open vSwitch plugin',
    given: 'mv /usr/lib/*/NetworkManager/*/libnm-device-plugin-ovs.so /root/; systemctl restart NetworkManager',
    after: 'mv /root/libnm-device-plugin-ovs.so /usr/lib/*/NetworkManager/*/; systemctl restart NetworkManager',
    exitCode: 5,
    says: /Open vSwitch plugin; install it.*NetworkManager-ovs/,
  },
  {
    name: 'ovsdb-server is stopped',
    given: 'systemctl stop ovsdb-server.socket ovsdb-server ovs-vswitchd',
    after: 'systemctl start ovsdb-server.socket ovsdb-server ovs-vswitchd openvswitch',
    exitCode: 5,
    says: /db\.sock.*start/,
  },
  {
    name: 'vswitchd is stopped',
    given: 'systemctl stop ovs-vswitchd',
    after: 'systemctl start ovs-vswitchd openvswitch',
    exitCode: 5,
    says: /vswitchd.*not running/,
  },
  {
    name: 'vswitchd hangs',
    given: `kill -STOP ${vswitchdPid}`,
    after: `kill -CONT ${vswitchdPid}`,
    exitCode: 5,
    says: /vswitchd.*no answer/,
  },
  {
    name: 'NetworkManager is kept off br-*',
    given: `printf '[keyfile]\nunmanaged-devices=interface-name:docker*;interface-name:br-*\n' > ${confFile}; nmcli general reload`,
    after: `rm ${confFile}; nmcli general reload`,
    exitCode: 2,
    says: /keeps it off br-ex: unmanaged-devices=.*br-\* in \[keyfile\] of \/etc\/NetworkManager\/conf\.d\/90-test\.conf.*except:interface-name:br-ex/,
  },
  {
    name: 'the profile leaves IPv6 to the kernel, and no router has advertised',
    given: `cp -p ${ethProfile} /root/; sed -i '/ipv6/,$ s/^method=.*/method=ignore/' ${ethProfile}; nmcli connection reload; nmcli device reapply eth0; sysctl -q -w net.ipv6.conf.eth0.disable_ipv6=0 net.ipv6.conf.eth0.accept_ra=1`,
    after: `cp /root/eth0.nmconnection ${ethProfile}; nmcli connection reload; nmcli device reapply eth0; touch -r /root/eth0.nmconnection ${ethProfile}; rm /root/eth0.nmconnection`,
    rewrites: ethProfile,
    exitCode: 2,
    says: /eth0 leaves IPv6 to the kernel.*ipv6\.method auto.*ipv6\.method disabled/,
  },
  {
    name: 'the disk is full',
    given:
      'mkdir -p /var/lib/microshift-net; mount -t tmpfs -o size=4k tmpfs /var/lib/microshift-net; echo full > /var/lib/microshift-net/full',
    after: 'umount /var/lib/microshift-net',
    exitCode: 1,
    says: /\/var\/lib\/microshift-net.*cannot be written.*no space.*df/i,
  },
  {
    name: 'the disk is read-only',
    given: 'mount -t tmpfs -o ro tmpfs /var/lib/microshift-net',
    after: 'umount /var/lib/microshift-net',
    exitCode: 1,
    says: /\/var\/lib\/microshift-net.*cannot be written.*read-only/i,
  },
];

const badConfigs: [name: string, make: string, says: RegExp][] = [
  ['binary', `head -c 4096 /dev/urandom > ${configFile}`, /ovn\.yaml/],
  [
    '10 MB of aliases',
    `node -e "process.stdout.write('a: &a [x]\\nb: [' + '*a,'.repeat(3500000) + '*a]\\n')" > ${configFile}`,
    /ovn\.yaml/,
  ],
  ['an unknown key', `echo 'mtuu: 1400' > ${configFile}`, /ovn\.yaml:1:1.*mtuu.*mtu/],
  ['a wrong type', `printf 'uplink: auto\\nmtu: big\\n' > ${configFile}`, /ovn\.yaml:2:6.*mtu/],
  ['a YAML 1.1 boolean', `echo 'disableOVSInit: yes' > ${configFile}`, /ovn\.yaml:1:17.*true/],
  [
    'contradictory spellings',
    `printf 'disableOVSInit: true\\novsInit:\\n  disableOVSInit: false\\n' > ${configFile}`,
    /ovn\.yaml.*1.*3|ovn\.yaml.*3.*1/,
  ],
  ['a duplicate key', `printf 'mtu: 1400\\nmtu: 1500\\n' > ${configFile}`, /ovn\.yaml:2.*mtu/],
  ['a tab', `printf 'ovs:\\n\\tlockMemory: true\\n' > ${configFile}`, /ovn\.yaml:2.*tab/i],
  ['a directory', `mkdir ${configFile}`, /ovn\.yaml.*not a regular file/],
];

/** Arguments of `bridge`, which is refused with this exit code and text. */
const badBridges: readonly (readonly [words: string, exitCode: number, stderr: RegExp])[] = [
  ['add eth7', 2, /the interface "eth7" does not exist; use one of: .*eth0/],
  ['add eth0 --name br-ex', 2, /this name is reserved/],
  ['add eth0 --name breth0breth0breth0', 2, /18 characters and the kernel allows 15/],
  ['add eth0 --name lo', 1, /there is an interface lo already/],
  ['remove eth0', 2, /`bridge add` has made no bridge "eth0"/],
  ['add lo', 2, /lo cannot be added to a bridge/],
];

const goodConfigs: [name: string, make: string][] = [
  ['absent', 'true'],
  ['empty', `: > ${configFile}`],
  ['only comments', `printf '# mtu: 1400\\n\\n# more\\n' > ${configFile}`],
  ['an empty document', `printf -- '---\\n' > ${configFile}`],
];

t.test('refusals', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel, files: { '/etc/microshift/config.yaml': '' } });
  t.teardown(() => node.halt());
  // Each request of this test writes its own ovn.yaml; the refused ones need no data path.
  await node.text(`rm ${configFile}`);

  await t.test('an ovn.yaml with a wrong key or value', async (t) => {
    const before = await picture(node);
    for (const [name, make, says] of badConfigs) {
      await node.text(make);
      const run = await node.run('microshift-net apply');
      t.equal(run.exitCode, 2, `${name}: exit code`);
      t.match(run.stderr, says, `${name}: the message has the place and the mistake`);
      t.notMatch(run.stderr, /\n {4}at |internal|unexpected/, `${name}: no stack trace`);
      t.equal(run.stdout, '', name);
      await node.text(`rm -rf ${configFile}`);
    }
    t.strictSame(await picture(node), before);
  });

  await t.test('an ovn.yaml without a setting means the defaults', async (t) => {
    for (const [name, make] of goodConfigs) {
      await node.text(make);
      t.match(await node.run('microshift-net plan'), { exitCode: 0, stdout: /^Uplink +eth0/m }, name);
      await node.text(`rm -f ${configFile}`);
    }
  });

  await t.test('a plan is possible with broken files of MicroShift, and names the unknown settings', async (t) => {
    const clusterFile = '/etc/microshift/config.yaml';
    const makes = [`printf 'network: [' > ${clusterFile}`, `rm ${clusterFile}; mkdir ${clusterFile}`];
    for (const make of makes) {
      await node.text(make);
      const run = await node.run('microshift-net plan');
      t.match(run, { exitCode: 0, stdout: /^Uplink +eth0/m }, make);
      t.match(run.stdout, /warning: \/etc\/microshift\/config.yaml.*; the setting there is not known/, make);
      t.match(await node.run('microshift-net config check'), { exitCode: 2, stderr: /config\.yaml/ }, make);
    }
    await node.text(`rmdir ${clusterFile}; : > ${clusterFile}`);
  });

  await t.test('requests for an impossible bridge, and a list without a bridge', async (t) => {
    const before = await picture(node);
    for (const [words, exitCode, stderr] of badBridges)
      t.match(await node.run(`microshift-net bridge ${words}`), { exitCode, stderr }, words);
    t.match(await node.run('microshift-net bridge list'), {
      exitCode: 0,
      stdout: '`bridge add` has made no bridge.\n',
    });
    t.match(await node.run('microshift-net bridge apply'), { exitCode: 0, stdout: /Nothing to do/ });
    t.strictSame(await picture(node), before);
  });

  await areRefused(t, node, refusals);

  await t.test('with disableOVSInit, nothing changes', async (t) => {
    await node.text(`echo 'disableOVSInit: true' > ${configFile}`);
    const before = await picture(node);
    for (const command of ['apply', 'apply --boot', 'plan', 'verify']) {
      t.match(await node.run(`microshift-net ${command}`), { exitCode: 0, stdout: /disableOVSInit/ }, command);
    }
    t.strictSame(await picture(node), before);
    await node.text(`rm ${configFile}`);
  });

  await t.test('an ovsdb-server that starts when its socket is used is no fault', async (t) => {
    await node.text('systemctl stop ovsdb-server.service');
    t.match(await node.run('microshift-net plan'), { exitCode: 0, stdout: /^Uplink +eth0/m });
    await node.text('systemctl start ovsdb-server ovs-vswitchd openvswitch');
  });

  await t.test('a run succeeds after all the refusals', async (t) => {
    await node.write(configFile, '');
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /committed/ });
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
  });

  await t.test('disable removes the hint that a run wrote, and keeps one of the administrator', async (t) => {
    const hint = '/var/lib/ovnk/iface_default_hint';
    t.equal(await node.read(hint), 'eth0\n');
    await node.text('microshift-net disable');
    t.equal(await node.read(hint), null);
    await node.text(`echo eth0 > ${hint}; microshift-net apply; microshift-net disable`);
    t.equal(await node.read(hint), 'eth0\n');
  });
});

t.test('no uplink at all', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'no-route', kernel });
  t.teardown(() => node.halt());
  // No answer is awaited of a node without an address, so the boot may still be in progress.
  await node.run('systemctl start NetworkManager openvswitch; nmcli -w 20 connection up eth0');
  const before = await picture(node);
  const run = await node.run('microshift-net apply');
  t.match(run, { exitCode: 1, stderr: /waiting up to 5 s for a default route\n(.*\n)*microshift-net: .*route/ });
  t.strictSame(await picture(node), before);
});

function asNobody(command: string): string {
  return `setpriv --reuid=65534 --regid=65534 --clear-groups microshift-net ${command}`;
}
