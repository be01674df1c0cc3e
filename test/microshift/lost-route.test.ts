// Removal of the default route while a real MicroShift runs. Without the node's address on lo, MicroShift exits at its
// next check and does not return.
import t from 'tap';
import { lostDefaultRoutes, recordedNews, recordNews } from '../node/recorded-news.ts';
import { microshiftSkip } from './microshift-folder.ts';
import { apiAnswers, bootMicroShift, endsWithin, processesOf, startMicroShift } from './microshift-node.ts';

/** Seconds for which MicroShift is observed: it looks for the node's address every 5 s. */
const watchS = 16;

t.test('MicroShift goes on without a default route', { skip: microshiftSkip }, async (t) => {
  const node = await bootMicroShift({ lan: 'dhcp' });
  t.teardown(() => node.halt());
  await startMicroShift(node);
  const processes = await processesOf(node);
  const route = (await node.text('ip route show default')).trim();
  t.match(route, /dev br-ex/);

  await recordNews(node);
  await node.text('ip route delete default');
  // The other tests of this folder require that this list is empty.
  t.match(
    lostDefaultRoutes(await recordedNews(node)),
    [/^\[ROUTE\]Deleted default via 192\.0\.2\.1 /],
    'the removal is recorded',
  );
  t.equal(await endsWithin(node, watchS), null, 'MicroShift continues');
  t.equal(
    (await node.run('microshift-net verify')).exitCode,
    0,
    'the node is in the desired state, with its address on lo',
  );
  t.match(await node.run('microshift-net doctor'), { stdout: /^ok +microshift-node-ip/m });
  await node.text(`ip route add ${route}`);
  t.equal(await endsWithin(node, watchS), null, 'MicroShift continues after the route is back');
  t.equal(await processesOf(node), processes, 'no process of MicroShift was restarted');
  t.match(await apiAnswers(node, ['10.44.0.0', '192.0.2.50']), [{ status: 200 }, { status: 200 }]);
});
