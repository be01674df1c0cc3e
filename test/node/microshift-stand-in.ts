// Effects of MicroShift, ovn-controller and ovnkube on br-ex of their node: the bridge without a NIC, ports, a flow,
// addresses, and a route. They follow MicroShift's packaging/systemd/configure-ovs.sh and pkg/node/netconfig.go, and
// go-controller/pkg/node of ovn-kubernetes.
import { microshiftStandInFile } from './microshift-file-table.ts';

/**
 * Script that adds entries to br-ex: the ports for the mappings, as ovn-controller does, flows and addresses, as
 * ovnkube does, and the address of the API server, as MicroShift does.
 */
const pods = `#!/bin/bash
ovs-vsctl --may-exist add-br br-int \\
  -- --may-exist add-port br-ex patch-ex -- set interface patch-ex type=patch options:peer=patch-int \\
  -- --may-exist add-port br-int patch-int -- set interface patch-int type=patch options:peer=patch-ex \\
  -- set open . external_ids:ovn-bridge-mappings=physnet:br-ex
ovs-ofctl add-flow br-ex cookie=0x77,table=5,priority=9,ip,actions=drop
ip link set br-ex up
ip address replace 10.44.0.0/32 dev br-ex
ip address replace 169.254.169.2/29 dev br-ex
for address in fd69::2/125 fd70::1/64 fd70::2/64; do ip address replace $address dev br-ex nodad; done
ip route replace 10.43.0.0/16 via 169.254.169.4 dev br-ex src 169.254.169.2 mtu 1400
ip neighbour replace 169.254.169.4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex
`;

// MicroShift's unit runs the script at every boot; with the drop-in of the package, br-ex already belongs to the agent
// then.
const unit = `[Unit]
Requires=openvswitch-switch.service
After=openvswitch-switch.service NetworkManager.service microshift-ovs-init.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'ovs-vsctl --if-exists get Bridge br-ex external_ids:microshift-net.profile | grep -q . || /usr/bin/configure-ovs.sh'
ExecStart=/usr/local/bin/pods
`;

/**
 * Profile that enables IPv6 but gives the node no global address: br-ex then has only the foreign ones, in their own
 * order. With a profile that disables IPv6, the kernel would remove the foreign addresses.
 */
export const withIpv6 = "profiles() { eth_profile eth0 <<< $'[ipv4]\\nmethod=auto\\n[ipv6]\\nmethod=link-local'; }";

const ofMicroShift = [
  '/usr/bin/configure-ovs.sh',
  '/etc/NetworkManager/conf.d/10-microshift-ignore-devices.conf',
  '/etc/microshift/config.yaml.default',
  '/etc/microshift/ovn.yaml.default',
] as const;

/**
 * Configuration with which NetworkManager manages the NICs of the node: they are veths, which MicroShift's
 * configuration makes unmanaged.
 */
export const managedVeths = {
  '/etc/NetworkManager/conf.d/95-nics.conf': '[device-nics]\nmatch-device=interface-name:eth*\nmanaged=1\n',
} as const;

/** Files of a node on which the stand-ins start at every boot, after microshift-ovs-init.service. */
export const microshiftStandIn: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ofMicroShift.map((path) => [path, microshiftStandInFile(path)])),
  ...managedVeths,
  '/usr/local/bin/pods': pods,
  '/etc/systemd/system/microshift-stand-in.service': unit,
  '/etc/systemd/system/multi-user.target.d/stand-in.conf': '[Unit]\nWants=microshift-stand-in.service\n',
};

const script = '/usr/bin/configure-ovs.sh';

/** Files of microshiftStandIn, changed for the userspace data path. */
export const microshiftStandInInUserspace: Readonly<Record<string, string>> = {
  ...microshiftStandIn,
  [script]: microshiftStandInFile(script, (text) =>
    text.replace('set bridge br-ex ', 'set bridge br-ex datapath_type=netdev '),
  ),
  '/usr/local/bin/pods': pods.replace('add-br br-int ', 'add-br br-int -- set bridge br-int datapath_type=netdev '),
};

/** Shell text that prints the entries that the stand-ins have added to br-ex. */
export const whatOthersHave = `
ovs-vsctl --columns=name find port name=patch-ex | grep -o '"\\?patch-ex"\\?' | tr -d '"'
ovs-vsctl port-to-br patch-ex
ovs-vsctl get open . external_ids:ovn-bridge-mappings
ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -o 'cookie=0x77.*table=5' | sed 's/duration=[^,]*//'
ip -br -4 address show br-ex | grep -o '10.44.0.0/32\\|169.254.169.2/29'
ip -br -6 address show br-ex | grep -o 'fd[0-9a-f:]*/[0-9]*'
ip -6 route get fd70::9 | grep -o 'src [^ ]*'
ip route show 10.43.0.0/16
ip neighbour show 169.254.169.4 dev br-ex nud permanent
`;
