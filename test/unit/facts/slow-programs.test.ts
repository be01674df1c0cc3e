// Programs that a busy machine delays. Only a program that hangs may be reported as a failure.
import { chmodSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { readInterfaceRules } from '../../../agent/facts/read-interface-rules.ts';
import { readUnits } from '../../../agent/facts/unit-facts.ts';

const rule = { family: 'inet', table: 'filter', chain: 'input', handle: 3 };
const match = { op: '==', left: { meta: { key: 'iifname' } }, right: 'eth0' };
const programs = {
  systemctl: 'Id=microshift-ovs-init.service\nLoadState=loaded',
  nft: JSON.stringify({ nftables: [{ rule: { ...rule, expr: [{ match }, { accept: null }] } }] }),
};

t.test('programs that answer after five seconds', async (t) => {
  const directory = t.testdir({});
  for (const [name, output] of Object.entries(programs)) {
    const path = `${directory}/${name}`;
    writeFileSync(path, `#!/bin/sh\nsleep 5\necho '${output}'\n`);
    chmodSync(path, 0o755);
  }
  const { PATH } = process.env;
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = `${directory}:${PATH}`;
  const [units, rules] = await Promise.all([readUnits(), readInterfaceRules()]);
  t.match(units, [{ name: 'microshift-ovs-init.service', load: 'loaded' }]);
  t.match(rules, [{ names: ['eth0'] }]);
});
