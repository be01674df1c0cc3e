import { type Deadline, throwIfStopped } from '../deadline.ts';
import { isHalfOpen } from '../drivers/host/kernel/half-open.ts';
import { sshSession } from '../drivers/host/process/ssh-client.ts';
import { testBridge } from '../drivers/openvswitch/test-bridge.ts';
import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { MovedAddresses, Plan, WantedBridge } from '../model/plan.ts';
import { textOf } from '../model/profile-settings.ts';
import { tcpFrame } from '../net/tcp-frame.ts';
import { leftBehindText, rulesLeftBehind, zoneLeftBehind } from '../plan/uplink/filter-notes.ts';

/**
 * Largest number of TCP SYN frames that are sent into the bridge to prove that the host answers. More than one may be
 * needed, because a machine that is short of memory may lose a frame.
 */
const tries = 3;
/** Dynamic ports, at which no service listens (RFC 6335, section 6). */
const clientPorts = { first: 49_152, count: 16_384 };

/**
 * If rules of the packet filter or a zone of firewalld refer to the NIC and not to the bridge, proves that the SSH
 * client that started the run could connect again. The present session does not show that, because the packet filter
 * accepts an established connection. The host therefore gets a TCP SYN from the client's address as if it had arrived
 * through the bridge. The SYN-ACK is held in the bridge, and the connection is reset. Fails with `proof-failed`.
 */
export async function proveInbound(plan: Plan, observation: Observation, deadline: Deadline): Promise<void> {
  const session = sshSession();
  if (session === null) return;
  const { client, server } = session;
  const isServer = ({ addresses }: MovedAddresses): boolean =>
    addresses.some((address) => address.split('/')[0] === server.address);
  const bridge = plan.wanted.bridges.find(({ bridge: name }) =>
    plan.carried.some((moved) => moved.interface === name && isServer(moved)),
  );
  const reason = bridge === undefined ? null : reasonFor(bridge, observation);
  if (bridge === undefined || reason === null) return;
  const { family, destination } = client.address.includes(':')
    ? { family: 'tcp6', destination: 'ipv6_dst' }
    : { family: 'tcp', destination: 'nw_dst' };
  const port = clientPorts.first + (process.pid % clientPorts.count);
  const from = { address: client.address, port };
  const held = `${family},${destination}=${from.address},tp_dst=${port}`;
  const isAnswered = await testBridge(bridge.bridge, held, '/run/openvswitch', async ({ deliver }) => {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      throwIfStopped(deadline);
      await deliver(tcpFrame(bridge.mac, from, server, 'syn', attempt));
      if (!isHalfOpen(server.port, port)) continue;
      await deliver(tcpFrame(bridge.mac, from, server, 'rst', attempt + 1));
      return true;
    }
    return false;
  });
  if (isAnswered) return;
  throw new AgentError(
    'proof-failed',
    `the SSH client ${client.address} could not connect again to port ${server.port} by ${bridge.bridge}: ${reason}`,
    {
      hint: `add ${bridge.bridge} to the packet filter where the NIC is allowed (microshift-net plan names the rules)`,
      facts: { client: client.address, port: server.port, bridge: bridge.bridge },
    },
  );
}

/**
 * Returns the reason for which the host may reject an SSH client; null if no rule of the packet filter and no zone of
 * firewalld refers to the NIC only.
 */
function reasonFor({ bridge, uplink, profiles }: WantedBridge, observation: Observation): string | null {
  if (uplink === null) return null;
  const { interface: nic } = uplink;
  const zone = profiles
    .map(({ settings }) => textOf(settings, 'connection', 'zone'))
    .find((name) => name !== undefined);
  const [rules] = rulesLeftBehind(nic, bridge, observation);
  return rules === undefined ? zoneLeftBehind(nic, bridge, zone, observation) : leftBehindText(nic, bridge, rules);
}
