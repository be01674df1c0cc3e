// Shell text that configures a node as other programs do: a br-ex of another program, or ports of another program in
// the agent's bridge. It uses the userspace data path, because this machine's kernel may have no other.
const profiles = 'cd /etc/NetworkManager/system-connections';

/**
 * Returns shell text that writes a profile and lets NetworkManager read it; the profile of a port names its controller.
 */
function profile(name: string, type: string, iface: string, more = '', ...sections: string[]): string {
  const text = [`[connection]`, `id=${name}`, `type=${type}`, `interface-name=${iface}`, more, ...sections].join('\\n');
  return `printf '${text}\\n' > ${name}.nmconnection; chmod 600 ${name}.nmconnection`;
}

const ofUserspace = ['[ovs-bridge]', 'datapath-type=netdev'];
const port = (controller: string, kind: string): string => `controller=${controller}\\nport-type=${kind}`;

/** A br-ex without a NIC, with the names that nmstate uses. */
export const madeByNmstate = [
  profiles,
  profile('br-ex-br', 'ovs-bridge', 'br-ex', '', ...ofUserspace),
  profile('br-ex-port', 'ovs-port', 'br-ex', port('br-ex', 'ovs-bridge')),
  profile(
    'br-ex-if',
    'ovs-interface',
    'br-ex',
    port('br-ex', 'ovs-port'),
    '[ovs-interface]',
    'type=internal',
    '[ipv4]',
    'method=disabled',
    '[ipv6]',
    'method=disabled',
  ),
  'nmcli connection reload && nmcli connection up br-ex-if',
].join('\n');

/** Entries that ovn-kubernetes and ovn-controller leave in a node's database. */
export const ovnKubernetes = `ovs-vsctl \
  set Open_vSwitch . external_ids:ovn-bridge-mappings=physnet:br-ex external_ids:ovn-encap-type=geneve -- \
  add-br br-int -- set Bridge br-int fail_mode=secure datapath_type=netdev -- \
  add-port br-int ovn-k8s-mp0 -- set Interface ovn-k8s-mp0 type=internal -- \
  add-port br-int patch-br-int-to-br-ex_node -- \
  set Interface patch-br-int-to-br-ex_node type=patch options:peer=patch-br-ex_node-to-br-int -- \
  set Port patch-br-int-to-br-ex_node external_ids:ovn-localnet-port=br-ex_node -- \
  add-port br-ex patch-br-ex_node-to-br-int -- \
  set Interface patch-br-ex_node-to-br-int type=patch options:peer=patch-br-int-to-br-ex_node -- \
  set Port patch-br-ex_node-to-br-int external_ids:ovn-localnet-port=br-ex_node`;
