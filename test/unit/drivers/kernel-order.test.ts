// Order of restored addresses: the order is restored whichever of the addresses exist already. A simulated interface
// lists new addresses in the kernel's order.
import t from 'tap';
import { goFirst, inOrderOfAdding } from '../../../agent/drivers/host/kernel/kernel-order.ts';
import type { KernelAddress } from '../../../agent/model/kernel-entries.ts';

const ownIpv4 = ['192.0.2.50/24'];
const ownIpv6 = ['2001:db8::51/64', '2001:db8::50/64'];

function given(address: string, behindOwn = false): KernelAddress {
  return { address, metric: null, noDad: true, deprecated: false, ...(behindOwn ? { behindOwn } : {}) };
}

/** Returns the order of the addresses after `listed` was added to an interface that already has `present`. */
function after(listed: readonly KernelAddress[], present: readonly string[]): readonly string[] {
  const isIpv6 = (address: string): boolean => address.includes(':');
  const gone = goFirst(listed, present);
  let now = present.filter((address) => !gone.includes(address));
  for (const { address } of inOrderOfAdding(listed)) {
    if (now.includes(address)) continue;
    now = isIpv6(address) ? [address, ...now] : [...now, address];
  }
  return [...now.filter((address) => !isIpv6(address)), ...now.filter(isIpv6)];
}

const foreign = [
  given('10.44.0.0/32'),
  given('169.254.169.2/29'),
  given('fd69::2/125'),
  given('2001:db8::100/64'),
  given('2001:db8::99/64'),
];
const asBefore = [...ownIpv4, '10.44.0.0/32', '169.254.169.2/29', 'fd69::2/125', '2001:db8::100/64', '2001:db8::99/64'];

t.test("foreign entries that were added after the node's own", (t) => {
  const own = [...ownIpv4, ...ownIpv6];
  const wanted = [...asBefore, ...ownIpv6];
  t.strictSame(after(foreign, own), wanted, 'the order is restored if no foreign address exists');
  t.strictSame(after(foreign, wanted), wanted, 'the order is restored if all foreign addresses exist already');
  t.strictSame(
    after(foreign, [...ownIpv4, '2001:db8::99/64', ...ownIpv6]),
    wanted,
    'the order is restored if only the first foreign address exists',
  );
  t.strictSame(
    after(foreign, [...ownIpv4, 'fd69::2/125', ...ownIpv6]),
    wanted,
    'the order is restored if only the last foreign address exists',
  );
  const late = [...ownIpv4, '10.44.0.0/32', ...ownIpv6, 'fd69::2/125', '2001:db8::100/64', '2001:db8::99/64'];
  t.strictSame(after(foreign, late), wanted, "the order is restored if the node's own addresses were added afterwards");
  t.strictSame(
    after(foreign, ['10.44.0.0/32', ...ownIpv4]),
    asBefore,
    'the order is restored on a node without an IPv6 address of its own',
  );
  t.end();
});

t.test("foreign entries that were added before the node's own", (t) => {
  const listed = foreign.map(({ address }) => given(address, address.includes(':')));
  const [kept, rest] = [asBefore.slice(0, 3), asBefore.slice(3)];
  const wanted = [...kept, ...ownIpv6, ...rest];
  t.strictSame(after(listed, wanted), wanted, 'the order is restored if all foreign addresses exist already');
  const lost = after(listed, [...ownIpv4, ...ownIpv6]);
  t.strictSame(
    lost.slice(3),
    [...rest, ...ownIpv6],
    "lost addresses come before the node's own, in their former order, because the kernel lists new ones first",
  );
  t.end();
});

t.test('unchanged foreign entries are not removed', (t) => {
  const ipv6 = foreign.filter(({ address }) => address.includes(':'));
  t.strictSame(goFirst(ipv6, ['fd69::2/125', '2001:db8::100/64', '2001:db8::99/64', ...ownIpv6]), []);
  t.strictSame(goFirst(ipv6, []), []);
  t.end();
});
