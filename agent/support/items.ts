import { journalDirectory } from '../model/journal.ts';

/** Command whose output is collected. The program must not change anything, and must print no secret by default. */
export interface CommandItem {
  readonly file: string;
  /** Command line; its words must not contain spaces. */
  readonly command: string;
}

/** File that is collected, or directory whose files are collected. */
export interface FileItem {
  readonly path: string;
  readonly as: 'text' | 'keyfile' | 'json-lines';
}

/**
 * Number of journal lines that are collected: enough for a day with many messages at debug level. Older lines rarely
 * explain the present fault.
 */
const journalLines = '4000';

/**
 * Units whose journal is collected, as patterns so that no unit is missed: the agent's units, and the scopes of runs by
 * hand (systemctl(1), journalctl(1)).
 */
const ownUnits = ['microshift-ovs-init.service', 'microshift-net-*'];
const shownUnits = [...ownUnits, 'NetworkManager', 'ovs-vswitchd', 'ovsdb-server'].join(' ');

const journalOf = (file: string, boot: string, units: readonly string[]): CommandItem => ({
  file: `journal/${file}.txt`,
  command: [
    `journalctl --no-pager --output=short-iso-precise --boot=${boot} --lines=${journalLines}`,
    ...units.map((unit) => `--unit=${unit}`),
  ].join(' '),
});
const ip = (file: string, words: string): CommandItem => ({ file: `ip/${file}.txt`, command: `ip ${words}` });
const nmcli = (file: string, words: string): CommandItem => ({
  file: `networkmanager/${file}.txt`,
  command: `nmcli --colors no --wait 5 ${words}`,
});
const ovs = (file: string, program: string, words: string): CommandItem => ({
  file: `openvswitch/${file}.txt`,
  command: `${program} --timeout=5 ${words}`,
});

const ovn = (file: string, program: string, words: string): CommandItem => ({
  file: `ovn/${file}.txt`,
  command: `${program} --timeout=5 --no-leader-only ${words}`,
});

export const commandItems: readonly CommandItem[] = [
  { file: 'versions/kernel.txt', command: 'uname -a' },
  { file: 'versions/networkmanager.txt', command: 'NetworkManager --version' },
  { file: 'versions/openvswitch.txt', command: 'ovs-vswitchd --version' },
  { file: 'versions/systemd.txt', command: 'systemctl --version' },
  {
    file: 'versions/packages.txt',
    command: 'rpm -qa microshift* NetworkManager* openvswitch* nodejs* firewalld* kernel* ovn*',
  },
  ip('addresses', '-details address'),
  ip('statistics', '-statistics link'),
  ip('routes', 'route show table all'),
  ip('routes-ipv6', '-6 route show table all'),
  ip('rules', 'rule'),
  ip('rules-ipv6', '-6 rule'),
  ip('neighbours', 'neighbour'),
  nmcli('general', 'general'),
  nmcli('devices', 'device show'),
  nmcli('connections', '--fields all connection show'),
  ovs('show', 'ovs-vsctl', 'show'),
  ...['Open_vSwitch', 'Bridge', 'Port', 'Interface'].map((table) => ovs(table, 'ovs-vsctl', `list ${table}`)),
  ovs('flows-br-ex', 'ovs-ofctl', 'dump-flows br-ex'),
  ovs('datapath', 'ovs-appctl', 'dpif/show'),
  ovs('coverage', 'ovs-appctl', 'coverage/show'),
  { file: 'units/status.txt', command: `systemctl status --no-pager --lines=0 ${shownUnits} firewalld` },
  { file: 'units/files.txt', command: `systemctl cat --no-pager ${shownUnits}` },
  { file: 'packet-filter/nat.txt', command: 'iptables-save -t nat' },
  { file: 'packet-filter/ruleset.txt', command: 'nft list ruleset' },
  journalOf('microshift-net', '0', ownUnits),
  journalOf('microshift-net-boot-before', '-1', ownUnits),
  journalOf('networkmanager', '0', ['NetworkManager', 'NetworkManager-wait-online', 'NetworkManager-dispatcher']),
  journalOf('openvswitch', '0', ['openvswitch', 'openvswitch-switch', 'ovs-vswitchd', 'ovsdb-server']),
  { file: 'journal/kernel.txt', command: `journalctl --no-pager --dmesg --boot=0 --lines=${journalLines}` },
];

/**
 * Commands for a node in an overlay. OVN's databases answer only on the central node; on other nodes a note says so.
 */
export const overlayCommandItems: readonly CommandItem[] = [
  { file: 'versions/ovn.txt', command: 'ovn-controller --version' },
  ovn('northbound', 'ovn-nbctl', 'show'),
  ...['Logical_Switch_Port', 'Logical_Router_Port', 'Logical_Router_Static_Route', 'Load_Balancer', 'ACL', 'NAT'].map(
    (table) => ovn(`northbound-${table}`, 'ovn-nbctl', `list ${table}`),
  ),
  ...['NB_Global', 'Connection'].map((table) => ovn(`northbound-${table}`, 'ovn-nbctl', `list ${table}`)),
  ovn('southbound', 'ovn-sbctl', 'show'),
  ...['SB_Global', 'Connection', 'Chassis', 'Encap', 'Port_Binding', 'MAC_Binding'].map((table) =>
    ovn(`southbound-${table}`, 'ovn-sbctl', `list ${table}`),
  ),
  ovs('flows-br-int', 'ovs-ofctl', 'dump-flows br-int'),
  ovs('tunnels', 'ovs-appctl', 'ofproto/list-tunnels'),
  journalOf('ovn', '0', [
    'ovn-central',
    'ovn-northd',
    'ovn-controller',
    'ovn-host',
    'ovn-ovsdb-server-nb',
    'ovn-ovsdb-server-sb',
  ]),
];

/** Files of a node in an overlay, without keys and bundles. */
export const overlayFileItems: readonly FileItem[] = [
  { path: '/var/lib/microshift-net/overlay.json', as: 'text' },
  { path: '/var/lib/microshift-net/overlay-units.json', as: 'text' },
  { path: '/run/microshift-net/overlay-run.json', as: 'json-lines' },
  { path: '/run/microshift-net/overlay-services.json', as: 'json-lines' },
  { path: '/etc/openvswitch/system-id.conf', as: 'text' },
  { path: '/etc/cni/net.d', as: 'text' },
  { path: '/var/log/ovn', as: 'text' },
];

export const fileItems: readonly FileItem[] = [
  { path: '/usr/lib/os-release', as: 'text' },
  { path: '/proc/cmdline', as: 'text' },
  { path: '/etc/microshift/ovn.yaml', as: 'text' },
  { path: '/etc/ovnk/extra_bridge', as: 'text' },
  { path: '/etc/ovnk/default_bridge', as: 'text' },
  { path: '/var/lib/ovnk/iface_default_hint', as: 'text' },
  { path: '/var/lib/microshift-net/bridges.json', as: 'text' },
  { path: '/run/nodeip-configuration/primary-ip', as: 'text' },
  { path: '/run/microshift-net/status.json', as: 'json-lines' },
  { path: '/run/microshift-net/metrics.prom', as: 'text' },
  { path: '/run/microshift-net/boot-done', as: 'text' },
  { path: journalDirectory, as: 'json-lines' },
  { path: '/etc/NetworkManager/NetworkManager.conf', as: 'keyfile' },
  { path: '/etc/NetworkManager/conf.d', as: 'keyfile' },
  { path: '/usr/lib/NetworkManager/conf.d', as: 'keyfile' },
  { path: '/etc/NetworkManager/system-connections', as: 'keyfile' },
  { path: '/run/NetworkManager/system-connections', as: 'keyfile' },
  { path: '/etc/sysconfig/openvswitch', as: 'text' },
  { path: '/etc/default/openvswitch-switch', as: 'text' },
];

/** Directories of profiles whose secrets are masked in the whole support bundle. */
export const keyfileDirectories: readonly string[] = [
  '/etc/NetworkManager/system-connections',
  '/run/NetworkManager/system-connections',
  '/usr/lib/NetworkManager/system-connections',
];
