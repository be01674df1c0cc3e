import { waitForKernel } from '../../../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../../../drivers/host/kernel/links.ts';
import { AgentError } from '../../../errors.ts';
import { onTerminal, reportedWait } from '../../reported-wait.ts';

/**
 * Time limit for ovs-vswitchd to create an interface, which takes milliseconds; 60 s allow for an ovs-vswitchd that is
 * just starting.
 */
const madeMs = 60_000;

/**
 * Waits until the kernel has an interface that Open vSwitch creates, with the MAC of its Interface row. ovs-vswitchd
 * sets the MAC after it has created the interface. With the userspace data path, it sets the interface down for this
 * (Open vSwitch, lib/netdev-linux.c, netdev_linux_set_etheraddr), and the kernel then removes IPv6 addresses and routes
 * by a gateway. The Interface row does not show whether the interface exists: after a boot, the row still has the old
 * port number. On a terminal, a wait of more than 2 s is reported. Fails with `proof-failed` at the time limit. `stop`
 * ends the wait.
 */
export async function waitForDevice(
  device: string,
  mac: string,
  say: (step: string) => void,
  stop: AbortSignal = new AbortController().signal,
): Promise<void> {
  const isThere = (): boolean => readLinks().some((link) => link.name === device && link.mac === mac);
  const late = (): AgentError =>
    new AgentError(
      'proof-failed',
      `Open vSwitch has not made ${device} with the MAC ${mac} within ${madeMs / 1000} s`,
      {
        hint: 'look at `ovs-vsctl show` and journalctl -u ovs-vswitchd for why',
      },
    );
  const waiting = `waiting up to ${madeMs / 1000} s until Open vSwitch has made ${device}`;
  await reportedWait(waiting, onTerminal(say), () => waitForKernel(isThere, { signal: stop }, madeMs, late));
}
