import t from 'tap';
import { apply, remove, render } from '../../../agent/commands/manifests-command.ts';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { refuseUnnamed } from '../../../agent/drivers/kubernetes/kubeconfig.ts';
import { asAgentError, errorTable } from '../../../agent/errors.ts';
import { coOwners, isOurs, refuseBesideMicroshift } from '../../../agent/manifests/object-ownership.ts';
import { microshiftKubeconfig } from '../../../agent/model/manifests.ts';
import { plain } from '../../../agent/view/style.ts';
import { failure } from '../failure.ts';
import { withChanges } from './changed-config.ts';

const withCluster = (cluster: Record<string, unknown>) => withChanges(defaultConfig, { cluster });
const remoteNetworks = ['10.45.0.0/16', '10.46.0.0/16'];

t.test('manifests are refused beside those of MicroShift', (t) => {
  const refused = (config: typeof defaultConfig, message: RegExp): void =>
    void t.throws(() => refuseBesideMicroshift(config, true), failure('manifests-foreign', { message }));
  refused(defaultConfig, /^network.cniPlugin is not set, so MicroShift puts/);
  refused(withCluster({ cniPlugin: 'ovnk' }), /^network.cniPlugin is ovnk \(ovn.yaml:1\), so MicroShift puts/);
  refused(withCluster({ cniPlugin: 'none', remoteNetworks }), /^clusterToCluster.remoteClusters \(ovn.yaml:1\) needs/);
  refused(withCluster({ remoteNetworks }), /^clusterToCluster/);
  t.doesNotThrow(() => refuseBesideMicroshift(withCluster({ cniPlugin: 'none' }), true));
  t.doesNotThrow(() => refuseBesideMicroshift(defaultConfig, false), 'manifests are not refused without MicroShift');
  t.equal(errorTable['manifests-foreign'].exitCode, 2);
  t.end();
});

t.test(
  'apply and delete are refused beside MicroShift; with --unless-microshift, apply does nothing instead',
  async (t) => {
    const results: string[] = [];
    const result = (text: string): void => void results.push(text);
    const output = { format: 'text', style: plain, result, say: () => t.fail('the command began its work') } as const;
    // The node has no image and no kubeconfig, so the command ends with the first error that it finds.
    const options = {
      config: defaultConfig,
      output,
      kubeconfig: '/nothing-here',
      hasMicroshift: true,
      signal: new AbortController().signal,
    };
    await t.rejects(apply(options), failure('manifests-foreign'));
    await t.rejects(remove(options), failure('manifests-foreign'));
    t.equal(await apply({ ...options, unlessMicroshift: true }), 0);
    t.match(results, [/^Nothing to do: network.cniPlugin is not none/]);
    const ours = { ...options, config: withCluster({ cniPlugin: 'none' }), unlessMicroshift: true };
    await t.rejects(apply(ours), failure('image-unknown'));
  },
);

t.test('on a node without MicroShift, apply and delete use the named cluster', async (t) => {
  const output = { format: 'text', style: plain, result: () => {}, say: () => {} } as const;
  const signal = new AbortController().signal;
  const options = { config: defaultConfig, output, kubeconfig: '/nothing-here', hasMicroshift: false, signal };
  const image = 'registry.example/ovn:1';
  const unknown = await apply(options).catch((thrown) => asAgentError(thrown));
  t.match(unknown, { kind: 'image-unknown', hint: /with --running-image$/ });
  for (const unlessMicroshift of [false, true]) {
    await t.rejects(apply({ ...options, image, unlessMicroshift }), failure('kubeconfig-unusable'));
  }
  await t.rejects(remove(options), failure('kubeconfig-unusable'));
});

t.test('without MicroShift, a command without a kubeconfig is refused and does not wait', (t) => {
  const unnamed = failure('kubeconfig-missing', {
    message: /^no kubeconfig is named, and this node has no MicroShift/,
  });
  t.throws(() => refuseUnnamed(microshiftKubeconfig), unnamed);
  t.doesNotThrow(() => refuseUnnamed('/nothing-here'), 'a named kubeconfig is not refused');
  t.end();
});

t.test('errors of render suggest only options of render', async (t) => {
  const output = { format: 'text', style: plain, result: () => {}, say: () => {} } as const;
  const error = await render({ config: defaultConfig, output }).catch((thrown) => asAgentError(thrown));
  t.match(error, { kind: 'image-unknown', hint: /--image/ });
  t.notMatch(error, { hint: /running-image/ });
});

t.test('other managers of an object', (t) => {
  const own = {
    'f:metadata': { 'f:labels': { 'f:app': {} } },
    'f:spec': { 'f:template': { 'f:spec': { 'f:image': {} } } },
  };
  const coOwnersOf = (...others: object[]): string[] => {
    const managedFields = [{ manager: 'microshift-net', operation: 'Apply', fieldsV1: own }, ...others];
    return coOwners({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', managedFields } });
  };
  const other = (fieldsV1: unknown, more: object = {}): object => ({ manager: 'other', fieldsV1, ...more });
  const table: readonly (readonly [name: string, fields: unknown, isPart: boolean])[] = [
    ['content of its own', { 'f:spec': { 'f:extra': {} } }, true],
    ['a container of its own', { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } } }, true],
    ['the same content', { 'f:spec': { 'f:template': { 'f:spec': { 'f:image': {} } } } }, true],
    ['the same label', { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } }, true],
    ['a label of its own', { 'f:metadata': { 'f:labels': { '.': {}, 'f:mine': {} } } }, false],
    ['a finalizer', { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/keep"': {} } } }, false],
    [
      'a restart of the pods',
      { 'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': { 'f:at': {} } } } } },
      false,
    ],
    ['a map without a key', { 'f:data': { '.': {} } }, false],
    ['no field', {}, false],
    ['no fields', undefined, false],
  ];
  for (const [name, fields, isPart] of table) t.same(coOwnersOf(other(fields)), isPart ? ['other'] : [], name);
  const content = { 'f:data': { 'f:key': {} } };
  t.same(coOwnersOf(other(content, { subresource: 'status' })), [], 'a manager of the status is not an owner');
  t.same(coOwnersOf(other(content), other(content), { manager: 'a', fieldsV1: content }), ['a', 'other']);
  t.same(coOwnersOf({}), [], 'an object without a list of managers has no other owner');
  t.end();
});

t.test("an object with labels or fields of the agent is the agent's", (t) => {
  const object = (metadata: object): boolean =>
    isOurs({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', ...metadata } });
  t.notOk(object({}));
  t.notOk(
    object({ labels: { 'app.kubernetes.io/managed-by': 'microshift-net' } }),
    "an object with only the label app.kubernetes.io/managed-by is not the agent's",
  );
  t.ok(
    object({
      labels: { 'app.kubernetes.io/managed-by': 'microshift-net', 'app.kubernetes.io/part-of': 'ovn-kubernetes' },
    }),
  );
  t.ok(object({ managedFields: [{ manager: 'microshift-net' }] }));
  t.notOk(object({ managedFields: [{ manager: 'kubectl' }] }));
  t.end();
});
