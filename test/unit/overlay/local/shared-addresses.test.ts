import t from 'tap';
import { sharedAddressesOf } from '../../../../agent/overlay/local/shared-addresses.ts';

const port = 'rtoe-vip_192.0.2.100';

t.test('holders and tunnels are read from both databases', (t) => {
  const row = (
    _uuid: string,
    columns: Readonly<Record<string, string | readonly string[] | Record<string, string>>>,
  ) => ({
    _uuid,
    ...columns,
  });
  const southbound = {
    database: 'OVN_Southbound',
    shape: {},
    tables: { Chassis: [row('a', { name: 'first' }), row('b', { name: 'second' })] },
  };
  const tunnel = (uuid: string, chassis: string, status: Record<string, string> | null) => ({
    port: row(`p${uuid}`, { interfaces: [uuid], external_ids: { 'ovn-chassis-id': `${chassis}@192.0.2.12` } }),
    end: row(uuid, { name: uuid, ...(status !== null && { bfd: { enable: 'true' }, bfd_status: status }) }),
  });
  const up = { state: 'up', remote_state: 'up', flap_count: '1' };
  const down = { state: 'down', remote_state: 'down', flap_count: '2' };
  const tunnels = [
    tunnel('i', 'first', up),
    tunnel('j', 'second', down),
    tunnel('k', 'first', down),
    tunnel('l', 'new', { state: 'init', remote_state: 'down', flap_count: '0' }),
    tunnel('m', 'half', { state: 'up', remote_state: 'init', flap_count: '1' }),
    tunnel('n', 'plain', null),
  ];
  const local = {
    database: 'Open_vSwitch',
    shape: {},
    tables: { Port: tunnels.map((each) => each.port), Interface: tunnels.map((each) => each.end) },
  };
  const redirects = [
    row('1', { logical_port: `cr-${port}`, chassis: ['b'] }),
    row('2', { logical_port: 'cr-rtos-n1', chassis: [] }),
    row('3', { logical_port: 'cr-rtos-n2', chassis: ['gone'] }),
  ];
  t.strictSame(sharedAddressesOf(redirects, southbound, local), {
    holders: { [port]: 'second' },
    unreached: ['second'],
    unconfirmed: ['second', 'new', 'half'],
  });
  const answers = [row('x', { name: 'first', nb_cfg: '4' })];
  const withAnswers = { ...southbound, tables: { ...southbound.tables, Chassis_Private: answers } };
  t.strictSame(sharedAddressesOf(redirects, withAnswers, local).answers, { first: 4 });
  t.end();
});
