import type { NetworkPolicy, Pod, PolicyPeer, PolicyPort, Protocol } from '../../model/workload.ts';
import { spansContain, spansOf } from '../../net/spans.ts';
import type { WorkloadFacts } from '../part.ts';
import type { Direction } from '../policies/clauses.ts';
import { isSelected, numbersOf, peersOf, targetsOf } from '../policies/selections.ts';

/** First packet of a connection between two pods. */
export interface FirstPacket {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly protocol: Protocol;
  readonly port: number;
}

/** Pod with its object key and its addresses without prefix lengths. */
export interface Endpoint {
  readonly key: string;
  readonly pod: Pod;
  readonly addresses: readonly string[];
}

/**
 * Returns true if the network policies of the pod at one end allow a packet in a direction, and false if they deny it;
 * null if no policy for this direction selects the pod.
 */
export function networkPolicyVerdict(packet: FirstPacket, direction: Direction, facts: WorkloadFacts): boolean | null {
  const [own, other] = direction === 'Ingress' ? [packet.to, packet.from] : [packet.from, packet.to];
  const selecting = [...facts.workload.policies.values()].filter(
    (policy) => policy.policyTypes.includes(direction) && isSelected(targetsOf(policy), own.pod, facts),
  );
  if (selecting.length === 0) return null;
  return selecting.some((policy) =>
    (direction === 'Ingress' ? policy.ingress : policy.egress).some(
      ({ peers, ports }) =>
        (peers.length === 0 || peers.some((peer) => isPeer(policy, peer, other, facts))) &&
        (ports.length === 0 || ports.some((port) => isPort(port, packet))),
    ),
  );
}

function isPeer({ namespace }: NetworkPolicy, peer: PolicyPeer, other: Endpoint, facts: WorkloadFacts): boolean {
  if (peer.ipBlock === undefined) return isSelected(peersOf(namespace, peer), other.pod, facts);
  const [inside, except] = [spansOf([peer.ipBlock.cidr]), spansOf(peer.ipBlock.except)];
  return other.addresses.some((address) => spansContain(inside, address) && !spansContain(except, address));
}

function isPort({ protocol, port, endPort }: PolicyPort, packet: FirstPacket): boolean {
  if (protocol !== packet.protocol) return false;
  if (port === null) return true;
  if (typeof port === 'string') return numbersOf({ name: port, protocol }, packet.to.pod).includes(packet.port);
  return packet.port >= port && packet.port <= (endPort ?? port);
}
