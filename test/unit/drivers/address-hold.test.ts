// Addresses that the agent adds to the NIC until NetworkManager adds them; a replacement of ip records the lines.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { holdAddresses } from '../../../agent/drivers/host/kernel/address-hold.ts';
import { replacePrograms } from '../replaced-programs.ts';

t.test('held addresses have the broadcast address that NetworkManager gives them', async (t) => {
  const read = join(replacePrograms(t, { ip: 'cat > "$0.input"' }), 'ip.input');
  await holdAddresses('eth0', ['192.0.2.50/24', '192.0.2.8/30', '192.0.2.6/31', '192.0.2.1/32', '2001:db8::50/64']);
  const held = 'dev eth0 noprefixroute valid_lft 120 preferred_lft 120';
  t.strictSame(readFileSync(read, 'utf8').trim().split('\n'), [
    `address add 192.0.2.50/24 broadcast + ${held}`,
    `address add 192.0.2.8/30 broadcast + ${held}`,
    `address add 192.0.2.6/31 ${held}`,
    `address add 192.0.2.1/32 ${held}`,
    `address add 2001:db8::50/64 nodad ${held}`,
  ]);
});
