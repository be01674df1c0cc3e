// A VM behind a tap, and objects of Kubernetes: network policies select the VM by its namespace and labels, from
// its first packet on, and no pod gets its address.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import { macOf } from '../../agent/overlay/addresses.ts';
import { listOf } from '../../agent/overlay/rows/row-index.ts';
import { decodedRow } from '../../agent/overlay/rows/wire.ts';
import { recordedShape } from '../unit/overlay/cluster.ts';
import { startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, program, startLan } from './hosts.ts';
import { ask, attempt } from './one-request.ts';
import { startVm } from './port-guests.ts';
import { offerApi } from './relay.ts';
import { serveApi } from './served-api.ts';
import { type Pod, plugPod } from './services.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 60_000;
const add = ['overlay', 'port', 'add', 'vm1', '--interface', 'tap7', '--label', 'app=db'];
const port = 'default_vm1@n1';

async function rowsOf(t: Test, host: Host) {
  const remotes = `unix:${host.path('/run/ovn/ovnnb_db.sock')}`;
  const session = openSession({ remotes, database: 'OVN_Northbound', limitMs });
  t.teardown(() => session.close());
  const tables = { Logical_Switch_Port: {}, Port_Group: {} };
  const mirror = await openMirror(session, tables, limitMs);
  const shape = recordedShape('OVN_Northbound 23.03');
  const all = (table: keyof typeof tables) =>
    [...mirror.table(table).rows()].map((row) => decodedRow(row as never, shape[table] ?? {}));
  const named = (name: string) => all('Logical_Switch_Port').find((row) => row.name === name) ?? null;
  return {
    named,
    isEnabled: (name: string): boolean => named(name) !== null && listOf(named(name), 'enabled')[0] !== false,
    /** Returns the number of port groups that have this port; the daemon makes a group for each policy. */
    groupsOf: (name: string): number => {
      const row = named(name);
      return row === null ? 0 : all('Port_Group').filter((group) => listOf(group, 'ports').includes(row._uuid)).length;
    },
    onChange: mirror.onChange,
    until: (isSo: () => boolean): Promise<unknown> => mirror.until(() => isSo(), limitMs),
  };
}

async function selected(t: Test): Promise<void> {
  const api = await serveApi(t);
  const lan = await startLan(t);
  const n1 = await lan.host('n1', 11);
  await offerApi(t, { port: api.port, kubeconfig: () => api.kubeconfig }, [n1]);
  form(t, [n1]);
  let daemon = await startDaemon(n1);
  const rows = await rowsOf(t, n1);
  const metadataOf = (name: string) => ({ name, namespace: 'default', uid: randomUUID() });
  const put = (name: string, spec: object): void => api.put('networkpolicies', { metadata: metadataOf(name), spec });
  const makePod = (name: string, more: object = {}): string => {
    const metadata = { ...metadataOf(name), ...more };
    api.put('pods', { metadata, spec: { nodeName: 'n1', containers: [] }, status: {} });
    return metadata.uid;
  };
  const podOf = async (name: string, labels: Readonly<Record<string, string>>): Promise<Pod> => {
    const uid = makePod(name, { labels });
    await rows.until(() => rows.named(`default_${name}`) !== null);
    const [place = ''] = listOf(rows.named(`default_${name}`), 'addresses').map(String);
    const [mac = '', address = ''] = place.split(' ');
    return plugPod(n1, { interface: `nic-${name}`, port: `default_${name}`, uid, mac, address });
  };
  const client = await podOf('client', { role: 'client' });
  const other = await podOf('other', {});
  const from = (labels: object) => [{ from: [{ podSelector: { matchLabels: labels } }] }];
  put('db', { podSelector: { matchLabels: { app: 'db' } }, ingress: from({ role: 'client' }) });
  put('client', { podSelector: { matchLabels: { role: 'client' } }, ingress: from({ app: 'db' }) });

  let wasOpen = false;
  rows.onChange(() => {
    if (rows.isEnabled(port) && rows.groupsOf(port) === 0) wasOpen = true;
  });
  const vm = await startVm(n1, 'tap7', macOf('10.42.0.254'), '10.42.0.254');
  t.match(n1.agent(...add), { status: 0, stdout: /10\.42\.0\.254/ });
  await rows.until(() => rows.isEnabled(port));
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(rows.groupsOf(port), 1, 'the policy has the VM');
  t.equal(ask(client, 'tcp', vm.address, 8080), client.address, 'the permitted pod reaches the VM');
  t.equal(attempt(other, vm.address), '', 'another pod does not');
  t.equal(ask(vm, 'tcp', client.address, 8080), vm.address, 'a rule for the label of the VM permits the VM');
  t.equal(attempt(other, client.address), '', 'and no other pod');
  t.equal(ask(vm, 'tcp', other.address, 8080), vm.address);

  makePod('asks', { annotations: { 'microshift-net/ip-address': vm.address } });
  makePod('next');
  await rows.until(() => rows.named('default_next') !== null);
  t.equal(rows.named('default_asks'), null, "a pod that asks for the VM's address gets none");
  const written = await writesDuring(n1, ['OVN_Northbound'], async () => {
    t.equal(await daemon.stop(), 0);
    daemon = await startDaemon(n1);
    makePod('after');
    await rows.until(() => rows.named('default_after') !== null);
  });
  t.strictSame(written, ['OVN_Northbound'], 'after a restart, only the new pod is written');
  t.match(listOf(rows.named(port), 'addresses'), [/ 10\.42\.0\.254$/]);
  t.equal(await verified(n1), 0, 'the rows are those of the objects');
  t.match(n1.agent(...add), { status: 0, stdout: /^Nothing to do/ });

  n1.must('ovn-nbctl', 'lsp-del', port);
  await rows.until(() => rows.named(port) !== null && rows.isEnabled(port));
  t.equal(rows.groupsOf(port), 1, 'the daemon restores a deleted port, with its policy');
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(attempt(other, vm.address), '');
  t.equal(ask(client, 'tcp', vm.address, 8080), client.address);
  t.notOk(wasOpen, 'the port was never enabled without its policy');

  t.match(n1.agent('overlay', 'port', 'remove', 'vm1'), { status: 0, stdout: /^Done/ });
  await rows.until(() => rows.named(port) === null);
  for (const pod of ['asks', 'next', 'after', 'client', 'other']) api.remove('pods', `default/${pod}`);
  await rows.until(() => rows.named('default_client') === null);
  t.equal(await verified(n1), 0, 'the rows are those of the objects');
  t.equal(await daemon.stop(), 0);
}

/** Runs `overlay verify`, and returns its exit code. The API server of this process answers meanwhile. */
async function verified(host: Host): Promise<number> {
  const child = host.start(process.execPath, program, 'overlay', 'verify');
  child.stdout?.resume();
  child.stderr?.resume();
  const [code] = await once(child, 'exit');
  return code as number;
}

t.test('policies for hosts that are not pods', { skip: missingForHosts() ?? false }, selected);
