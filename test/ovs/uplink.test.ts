// Steps of the move of an uplink that change Open vSwitch and need no NIC, against real daemons: refusals, a daemon
// that does not answer, and a database that crashes.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { openOpenVSwitch } from '../../agent/drivers/openvswitch/ovs-client.ts';
import { missingParts } from '../ovsdb/real-server.ts';
import { startDaemons } from './daemons.ts';

const skip = missingParts() || (process.getuid?.() !== 0 && 'ovs-vswitchd needs root');

t.test('steps of an uplink with real daemons', { skip }, async (t) => {
  const daemons = startDaemons();
  t.teardown(() => daemons.stop());
  const ovs = await openOpenVSwitch(daemons.runDirectory);
  t.teardown(() => ovs.close());
  const signal = (name: string, sent: NodeJS.Signals): void => {
    process.kill(Number(readFileSync(`${daemons.runDirectory}/${name}.pid`, 'utf8')), sent);
  };

  await t.rejects(ovs.attachUplink({ bridge: 'br-none', interface: 'eth-none' }), {
    kind: 'ovsdb-refused',
    message: /refused to put eth-none into br-none: operation 0 \(wait Bridge\) failed: timed out/,
  });
  await t.rejects(ovs.attachUplink({ bridge: 'br0', interface: 'eth-none' }), {
    kind: 'ovsdb-refused',
    message: /Open vSwitch cannot carry eth-none: could not open network device eth-none/,
  });
  await ovs.detachUplink({ bridge: 'br0', interface: 'eth-none' }, true);
  const [bridge] = (await ovs.facts()).bridges;
  t.strictSame(
    bridge?.ports.map((port) => port.name),
    ['br0'],
  );
  await ovs.detachUplink({ bridge: 'br0', interface: 'eth-none' }, true);

  signal('ovs-vswitchd', 'SIGSTOP');
  await t.rejects(ovs.setKeys('other_config', { x: '1' }), {
    kind: 'ovsdb-timeout',
    message: /did not answer in time: set x$/,
  });
  signal('ovs-vswitchd', 'SIGCONT');
  await ovs.setKeys('other_config', { x: null });

  signal('ovsdb-server', 'SIGKILL');
  await t.rejects(ovs.setKeys('other_config', { x: '1' }), { name: 'AgentError', kind: 'ovsdb-lost' });
});
