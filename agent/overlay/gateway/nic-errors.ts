import { AgentError } from '../../errors.ts';
import type { Link } from '../../model/observation.ts';

/** Hardware type of Ethernet (linux/if_arp.h, ARPHRD_ETHER). A gateway uses no NIC of another type. */
export const ethernet = 1;

/**
 * Pattern of the names of links that are not NICs: the loopback interface, and links that Open vSwitch, OVN, this
 * product or the kernel creates.
 */
export const madeBySwitch =
  /^(?:lo|ovs-(?:system|netdev)|br-.*|ovn-k8s-.*|k8s-.*|(?:genev|vxlan)_sys_\d+|vxlan-(?:\d+|drop))$/;

/**
 * Returns the error for a NIC that does not exist. The hint lists the links that can be the NIC of a gateway; `isFree`
 * is false for a link that the node itself needs.
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

/** Returns the error for a NIC that the node itself needs. `need` is the reason, as the end of a sentence. */
export function neededNic(nic: string, need: string): AgentError {
  return new AgentError('interface-unsuitable', `${nic} cannot be the gateway's own: ${need}`, {
    hint: 'choose an unused NIC, or omit --interface, so that the gateway shares br-ex',
    facts: { interface: nic },
  });
}
