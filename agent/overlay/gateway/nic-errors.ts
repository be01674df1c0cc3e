import { AgentError } from '../../errors.ts';
import type { Link } from '../../model/observation.ts';

/** Hardware type of Ethernet, the only one that a port of Open vSwitch can have (linux/if_arp.h, ARPHRD_ETHER). */
export const ethernet = 1;

/** Names of links that Open vSwitch, OVN and the kernel make, and that lead to no host outside of the node. */
export const madeBySwitch = /^(?:lo|ovs-(?:system|netdev)|br-.*|ovn-k8s-.*|k8s-.*|(?:genev|vxlan)_sys_\d+)$/;

/**
 * Error for a NIC that does not exist. The hint lists the links that can be the NIC of a gateway; `isFree` is false for
 * a link that the node itself needs.
 */
export function missingNic(nic: string, links: readonly Link[], isFree: (link: Link) => boolean): AgentError {
  const usable = links.filter(
    (link) =>
      link.hardwareType === ethernet &&
      link.kind !== 'wlan' &&
      link.master === null &&
      !madeBySwitch.test(link.name) &&
      isFree(link),
  );
  return new AgentError('interface-not-found', `the interface ${nic} does not exist`, {
    hint:
      usable.length === 0
        ? 'this node has no NIC for a gateway of its own: omit --interface, so that the gateway shares br-ex'
        : `write one of: ${usable.map(({ name }) => name).join(', ')}`,
  });
}

/** Error for a NIC that the node itself needs, with the reason as the end of a sentence. */
export function neededNic(nic: string, need: string): AgentError {
  return new AgentError('interface-unsuitable', `${nic} cannot be the gateway's own: ${need}`, {
    hint: 'choose an unused NIC, or omit --interface, so that the gateway shares br-ex',
    facts: { interface: nic },
  });
}
