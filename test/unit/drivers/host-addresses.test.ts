// Addresses of a host name, with the resolver of this machine.
import t from 'tap';
import { addressesOfHost } from '../../../agent/drivers/host/kernel/host-addresses.ts';

t.test('a known name has addresses, and an unknown name has none', async (t) => {
  const own = await addressesOfHost('localhost');
  t.ok(own.includes('127.0.0.1') || own.includes('::1'), own.join());
  t.strictSame(
    await addressesOfHost('absent.invalid'),
    [],
    'a name below .invalid has no address (RFC 6761 section 6.4)',
  );
});
