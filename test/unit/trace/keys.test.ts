// Tunnel keys, and the form in which Open vSwitch prints them.
import t from 'tap';
import type { TraceFlow } from '../../../agent/model/overlay-trace.ts';
import { portsOfMetadata, tunnelKeys } from '../../../agent/trace/crossing.ts';
import { localPart } from '../../../agent/trace/local-part.ts';
import { networkOf } from '../../../agent/trace/logical-network.ts';
import { parseOpenFlowTrace } from '../../../agent/trace/openflow-trace.ts';
import type { RuleBook } from '../../../agent/trace/rules.ts';

t.test('keys of a tunnel', (t) => {
  t.strictSame(
    tunnelKeys('geneve', 3, 1, 5),
    { tunId: 3, metadata: 0x10005 },
    'the keys of Geneve are those that Open vSwitch has recorded',
  );
  t.strictSame(
    tunnelKeys('vxlan', 3, 1, 5),
    { tunId: 20_483, metadata: null },
    'the keys of VXLAN are those that Open vSwitch has recorded',
  );
  for (const [inKey, outKey] of [
    [0, 0],
    [32_767, 65_535],
    [7, 32_768],
  ] as const)
    t.strictSame(portsOfMetadata(tunnelKeys('geneve', 1, inKey, outKey).metadata ?? 0), { inKey, outKey });
  t.strictSame(tunnelKeys('vxlan', 4095, 0, 4095), { tunId: 0xffffff, metadata: null });
  t.end();
});

t.test('a tunnel of the kernel, and a bridge behind a patch port', (t) => {
  const text = `
bridge("br-int")
----------------
 0. in_port=1, priority 100, cookie 0xabc
    set_field:0x4/0xffffff->tun_id
    set_field:0x3->tun_metadata0
    move:NXM_NX_REG14[0..14]->NXM_NX_TUN_METADATA0[16..30]
     -> NXM_NX_TUN_METADATA0[16..30] is now 0x2
    output:7
     -> output to kernel tunnel
    output:3

    bridge("br-ex")
    ---------------
     0. priority 0
        NORMAL
         -> no learned MAC for destination, flooding
    output:9
     >>>> Cannot truncate output to patch port
`;
  t.strictSame(parseOpenFlowTrace(text), {
    outputs: [
      { bridge: 'br-int', port: 7, tunId: 4, metadata: 0x20003, remote: null },
      { bridge: 'br-int', port: 3, tunId: 4, metadata: 0x20003, remote: null },
      { bridge: 'br-int', port: 9, tunId: 4, metadata: 0x20003, remote: null },
    ],
    learning: ['br-ex'],
    isForController: false,
    cookies: ['00000abc'],
    remarks: ['Cannot truncate output to patch port'],
  });
  t.end();
});

t.test('a dropped packet, and a packet for ovn-controller', (t) => {
  const text =
    'bridge("br-int")\n 8. metadata=0x1, priority 50, cookie 0xfe4f3a7d\n    drop\n73. No match.\n    drop\n';
  t.match(parseOpenFlowTrace(text), { outputs: [], isForController: false, cookies: ['fe4f3a7d'] });
  t.match(parseOpenFlowTrace('controller(userdata=00.00)'), { isForController: true, cookies: [] });
  t.end();
});

t.test('causes of a dropped packet', (t) => {
  const rule = { table: 'ACL', id: 'aaaaaaaa', name: 'no-ssh', says: '' };
  const flows: Readonly<Record<string, TraceFlow>> = {
    '00000001': { stage: 'ls_in_acl_eval', match: '1', rule: { ...rule, name: 'before' } },
    '00000002': { stage: 'ls_out_acl_eval', match: '1', rule },
    '00000003': { stage: 'ls_out_acl_eval', match: 'ct.inv', rule: null },
    '00000004': { stage: 'ls_out_acl_action', match: 'reg8[17] == 1', rule: null },
    '00000005': { stage: 'ls_out_port_sec', match: '1', rule: null },
  };
  const rules: RuleBook = { flow: (id) => flows[id] ?? null, forcedSource: () => null };
  const rows = { database: 'Open_vSwitch', tables: {}, shape: {} };
  const facts = { rules, network: networkOf(rows) };
  const droppedBy = (...cookies: readonly number[]): string | undefined => {
    const text = cookies.map((cookie) => ` 8. metadata=0x1, priority 50, cookie 0x${cookie}\n`).join('');
    return localPart({ device: 'pod', flow: '' }, text, facts, rows).drop?.cookie;
  };
  t.equal(
    droppedBy(1, 2, 4),
    '00000002',
    'an ACL is the cause of a drop in the stage after it, which executes the action',
  );
  t.equal(droppedBy(1, 3, 4), '00000004', 'a drop without an ACL is recognized');
  t.equal(droppedBy(1, 2, 5), '00000005', 'a drop in a stage after the ACLs is recognized');
  t.equal(droppedBy(), '', 'without a known flow, the cause is empty');
  t.end();
});
