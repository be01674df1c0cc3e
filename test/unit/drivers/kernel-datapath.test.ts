// State of the kernel's module openvswitch: loaded, available, missing or unknown.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { openvswitchModule } from '../../../agent/drivers/host/kernel/kernel-datapath.ts';

const line = 'kernel/net/openvswitch/openvswitch.ko.xz: kernel/net/netfilter/nf_nat.ko.xz\n';
const other = 'kernel/drivers/net/tun.ko.xz:\n';
const modules = 'lib/modules/6.1.0';

t.test('the module openvswitch', (t) => {
  const known = (files: Readonly<Record<string, string>>): string => {
    const root = t.testdir();
    for (const [file, text] of Object.entries({ 'proc/sys/kernel/osrelease': '6.1.0\n', ...files })) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return openvswitchModule(root);
  };
  t.equal(known({ 'sys/module/openvswitch/refcnt': '2\n' }), 'loaded');
  t.equal(known({ [`${modules}/modules.builtin`]: 'kernel/net/openvswitch/openvswitch.ko\n' }), 'loaded');
  t.equal(known({ [`${modules}/modules.dep`]: `${other}${line}` }), 'available');
  t.equal(known({ [`${modules}/modules.dep`]: other }), 'missing');
  t.equal(known({}), 'unknown', 'an unreadable list of modules means "unknown"');
  t.end();
});
