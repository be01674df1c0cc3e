// State that a peer in VXLAN may have changed, and the appliance of such a peer.
import type { Host } from './hosts.ts';
import { peerState } from './peer-state.ts';

/** Returns the rows, devices, settings and flows that a peer in VXLAN may have changed, as text for a comparison. */
export function vtepState(central: Host, nodes: readonly Host[]): string {
  const rows = (table: string, columns: string): string =>
    central
      .must('ovn-nbctl', '--bare', '--no-headings', `--columns=${columns}`, 'list', table)
      .split('\n')
      .toSorted()
      .join('\n');
  const ofNode = (host: Host): string =>
    [
      host.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids'),
      ...['vxlan', 'bridge'].map((type) =>
        host.must('ip', '-oneline', 'link', 'show', 'type', type).replaceAll(/^\d+: |link-netns.*/gm, ''),
      ),
      host
        .must('bridge', 'fdb', 'show')
        .split('\n')
        .filter((line) => line.includes('vxlan-'))
        .toSorted()
        .join('\n'),
    ].join('\n');
  return [
    peerState(
      central,
      nodes.filter((host) => host.must('ovs-ofctl', 'dump-flows', 'br-ex').includes('0x6d6e6f766c79')),
    ),
    rows('Logical_Switch', 'name,other_config'),
    rows('Logical_Switch_Port', 'name'),
    rows('Logical_Router_Port', 'name,networks'),
    rows('Static_MAC_Binding', 'logical_port,ip,mac'),
    central.must('ovn-sbctl', '--bare', '--columns=ip', 'find', 'MAC_Binding', 'logical_port=rtov-f5'),
    ...nodes.map(ofNode),
  ].join('\n');
}

/** Waits until ovn-controller of a node has a tunnel port and flows for VTEPs, or has none. */
export function untilVteps(host: Host, isThere: boolean): void {
  const look = 'ovs-vsctl list-ports br-int | grep -q evpn && ovs-ofctl dump-flows br-int | grep -q tun_src=';
  const none = '! ovs-vsctl list-ports br-int | grep -q evpn && ! ovs-ofctl dump-flows br-int | grep -q tun_src=';
  host.must('sh', '-c', `until ${isThere ? look : none}; do sleep 0.2; done`);
}

/** Settings of an appliance, as `overlay peer list` prints them in JSON. */
interface Settings {
  readonly vtep: { readonly mac: string; readonly vni: number };
  readonly settings: {
    readonly router: string;
    readonly mtu: number;
    readonly destinations: readonly string[];
    readonly nodes: readonly { readonly address: string }[];
  };
}

/** Gives a host the VXLAN device and the routes of an appliance, with the settings that the central node prints. */
export function becomeAppliance(central: Host, host: Host, address: string, local = host.address): Settings {
  const { peers } = JSON.parse(central.agent('overlay', 'peer', 'list', '--output', 'json').stdout);
  const [peer] = peers as readonly [Settings];
  const { vtep, settings } = peer;
  const tunnel = ['id', String(vtep.vni), 'dstport', '4789', 'local', local, 'udpcsum'];
  host.must('ip', 'link', 'add', 'vx0', 'address', vtep.mac, 'type', 'vxlan', ...tunnel);
  host.must('ip', 'link', 'set', 'vx0', 'mtu', String(settings.mtu), 'up');
  host.must('ip', 'address', 'add', `${address}/24`, 'dev', 'vx0');
  for (const node of settings.nodes)
    host.must('bridge', 'fdb', 'append', '00:00:00:00:00:00', 'dev', 'vx0', 'dst', node.address);
  for (const destination of settings.destinations)
    host.must('ip', 'route', 'add', destination, 'via', settings.router, 'dev', 'vx0');
  return peer;
}
