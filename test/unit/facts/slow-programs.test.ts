// Programs that a busy machine delays. Only a program that hangs may be reported as a failure.
import t from 'tap';
import { readInterfaceRules } from '../../../agent/facts/read-interface-rules.ts';
import { readUnits } from '../../../agent/facts/unit-facts.ts';
import { replacePrograms } from '../replaced-programs.ts';

const rule = { family: 'inet', table: 'filter', chain: 'input', handle: 3 };
const match = { op: '==', left: { meta: { key: 'iifname' } }, right: 'eth0' };
const programs = {
  systemctl: "sleep 5; echo 'Id=microshift-ovs-init.service\nLoadState=loaded'",
  nft: `sleep 5; echo '${JSON.stringify({ nftables: [{ rule: { ...rule, expr: [{ match }, { accept: null }] } }] })}'`,
};

t.test('programs that answer after five seconds', async (t) => {
  replacePrograms(t, programs);
  const [units, rules] = await Promise.all([readUnits(), readInterfaceRules()]);
  t.match(units, [{ name: 'microshift-ovs-init.service', load: 'loaded' }]);
  t.match(rules, [{ names: ['eth0'] }]);
});
