import { AgentError } from '../../errors.ts';
import type { AddedBridge } from '../../model/added-bridge.ts';
import type { Candidate } from './remembered.ts';

/** Returns the error for a NIC that is set for br-ex1 while no other NIC can be the uplink of br-ex. */
export function takenByExternal({ name, source }: Candidate): AgentError {
  const message = `${source} names ${name} as the uplink of br-ex1, and no other interface has a route that br-ex could take`;
  return new AgentError('config-invalid', message, {
    hint: 'name another interface there, or one for br-ex with `uplink: <interface>` in /etc/microshift/ovn.yaml',
    facts: { interface: name, source },
  });
}

/** Returns the error for a NIC that is in a bridge of `bridge add` while no other NIC can be the uplink of br-ex. */
export function takenByAdded({ bridge, interface: name }: AddedBridge): AgentError {
  const message = `${name} is the uplink of ${bridge}, and no other interface has a route that br-ex could take`;
  return new AgentError('no-uplink', message, {
    hint: `give it up (microshift-net bridge remove ${bridge}), or set \`uplink: none\``,
    facts: { interface: name, bridge },
  });
}
