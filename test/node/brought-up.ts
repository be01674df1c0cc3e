// Node on which microshift-ovs-init.service has moved the NIC at a boot.
import type { Test } from 'tap';
import { hasMoved } from './moved.ts';
import type { TestNode } from './node.ts';
import type { NodeState } from './state.ts';

const unit = 'microshift-ovs-init.service';

/** Waits for the end of the unit, which the boot has already started. */
export async function ended(node: TestNode): Promise<void> {
  await node.text(`systemctl start ${unit} || { journalctl -b --no-pager -u ${unit}; exit 1; }`);
  await node.ready();
}

/**
 * Asserts that the first boot has moved eth0, which has these addresses, runs `disable`, and returns the state of the
 * node without br-ex.
 */
export async function isBroughtUp(t: Test, node: TestNode, addresses: readonly string[]): Promise<NodeState> {
  await ended(node);
  const after = await node.state();
  t.match(await node.text('microshift-net history'), /^\S+ +committed +apply --boot +br-ex with eth0$/);
  t.equal((await node.run('microshift-net disable')).exitCode, 0);
  const before = await node.state();
  t.strictSame(before.addressesOf('eth0'), addresses);
  hasMoved(t, before, after);
  return before;
}
