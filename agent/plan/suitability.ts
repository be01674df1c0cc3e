import type { Link, Observation } from '../model/observation.ts';

/** ARPHRD_ETHER of linux/if_arp.h: what an OVS port of type `system` carries. */
const ethernet = 1;
/** NMDeviceType veth, NMDeviceState unmanaged. */
const vethDevice = 20;
const unmanaged = 10;

/** Devices that belong to a container engine, a hypervisor or ovn-kubernetes: never the node's uplink. Whole names, no substrings. */
const foreignNames =
  /^(lo|br-int|br-local|ovs-system|ovn-k8s-.*|podman\d+|docker\d+|virbr\d+|cni\d+|cni-podman\d+|flannel\.\d+|genev_sys_\d+|vxlan_sys_\d+)$/;

/** Why a device cannot be an uplink, as the second half of a sentence ("it …"); null when it can. */
export function unsuitability(link: Link | undefined, observation: Observation): string | null {
  if (link === undefined) return 'there is no such interface';
  if (foreignNames.test(link.name)) return 'it belongs to a container engine, a hypervisor or ovn-kubernetes';
  if (link.kind === 'wlan') return 'it is a wifi device: an access point drops frames with other source addresses';
  if (link.hardwareType !== ethernet && link.kind !== 'tun')
    return 'it is not an Ethernet device, so Open vSwitch cannot carry it';
  const device = observation.networkManager.devices.find(
    (entry) => entry.interface === link.name && entry.type === vethDevice,
  );
  if (device?.state === unmanaged)
    return 'it is a veth that NetworkManager does not manage, the end of a container cable';
  if (isOvsInternal(link.name, observation)) return 'it is an internal port of Open vSwitch';
  return null;
}

function isOvsInternal(name: string, observation: Observation): boolean {
  return observation.ovs.bridges.some((bridge) =>
    bridge.ports.some((port) => port.interfaces.some((row) => row.name === name && row.type === 'internal')),
  );
}
