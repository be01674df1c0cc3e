import t from 'tap';
import { defaultCniBinDirectory, renderManifests } from '../../agent/manifests/render.ts';
import { fieldAt, type KubernetesObject, listAt } from '../../agent/model/kubernetes/object.ts';
import type { ApiServer } from './api-server.ts';
import { allowed, forbidden, writtenLog } from './audit.ts';
import type { JsonAnswer } from './json-call.ts';
import { type OvnkubeRequest, ovnkubeRequests } from './ovnkube-requests.ts';
import { image, namespace, ours, run, sharedApiServer, testWithoutManifests } from './session.ts';

const methods = { get: 'GET', list: 'GET', watch: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH' } as const;

type Asked = Pick<OvnkubeRequest, 'verb' | 'resource'>;

/** Sends a request as ovnkube does. The object need not exist, because the server checks the right first. */
function ask(server: ApiServer, token: string, { verb, resource }: Asked): Promise<JsonAnswer> {
  const [name = '', subresource] = resource.split('/');
  const [plural = '', ...group] = name.split('.');
  const api = group.length === 0 ? '/api/v1' : `/apis/${group.join('.')}/v1`;
  const isCollection = ['list', 'watch', 'create'].includes(verb);
  const isEverywhere = ['nodes', 'namespaces'].includes(plural) || verb === 'list' || verb === 'watch';
  const collection = `${api}${isEverywhere ? '' : `/namespaces/${namespace}`}/${plural}`;
  const path = isCollection ? collection : [`${collection}/some`, subresource].filter(Boolean).join('/');
  const query = verb === 'watch' ? '?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dsome' : '';
  const body = methods[verb] === 'GET' ? undefined : {};
  const contentType = verb === 'patch' ? 'application/merge-patch+json' : 'application/json';
  return server.callAs(token, methods[verb], path + query, body, contentType);
}

/**
 * Returns the rights that the rendered roles grant an account, as the audit log writes them. Leaves out rights to
 * security.openshift.io, because only clusters with OpenShift's API use them.
 */
function granted(objects: readonly KubernetesObject[], account: string): string[] {
  const bindings = objects.filter((object) =>
    listAt(object, 'subjects').some((one) => fieldAt(one, 'name') === account),
  );
  const roles = bindings.map(({ roleRef }) =>
    objects.find(
      ({ kind, metadata }) => kind === fieldAt(roleRef, 'kind') && metadata.name === fieldAt(roleRef, 'name'),
    ),
  );
  const rights = roles
    .flatMap((role) => listAt(role, 'rules'))
    .flatMap((rule) =>
      listAt(rule, 'apiGroups').flatMap((group) =>
        listAt(rule, 'resources').flatMap((resource) =>
          listAt(rule, 'verbs').map((verb) => {
            const [plural, ...sub] = String(resource).split('/');
            const name = [plural, group].filter(Boolean).join('.');
            return `${account} ${verb} ${[name, ...sub].join('/')}`;
          }),
        ),
      ),
    );
  return [...new Set(rights)].filter((right) => !right.endsWith('security.openshift.io')).sort();
}

const server = await sharedApiServer();
if (server !== null) {
  testWithoutManifests(server);
  const settings = { config: ours, image, cniBinDirectory: defaultCniBinDirectory, controlPlane: '192.0.2.10' };
  const tokenOf = async (account: string): Promise<string> => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    return (await server.call('POST', path, request)).body.status.token;
  };

  for (const [name, accounts] of Object.entries(ovnkubeRequests)) {
    const flavor = name as keyof typeof ovnkubeRequests;
    for (const [account, requests] of Object.entries(accounts)) {
      t.test(`${flavor}: ${account} may do what ovnkube does, and nothing else`, async (t) => {
        await run(server, 'apply', { flavor });
        const token = await tokenOf(account);
        const answers = await Promise.all(requests.map((request) => ask(server, token, request)));
        const ids = answers.map(({ auditId }) => auditId);
        const log = await writtenLog(server.auditLog, ids);
        const asked = requests.map(({ verb, resource }) => `${account} ${verb} ${resource}`).sort();
        t.same(forbidden(log), [], 'nothing is refused');
        t.same(allowed(log), asked, 'every request is in the log');
        t.same(granted(renderManifests({ ...settings, flavor }), account), asked, 'every right is used');
      });
    }
  }

  t.test('refused requests are in the log', async (t) => {
    const account = 'ovn-kubernetes-node';
    const { status, auditId } = await ask(server, await tokenOf(account), { verb: 'list', resource: 'secrets' });
    t.equal(status, 403);
    t.same(forbidden(await writtenLog(server.auditLog, [auditId])), [`${account} list secrets`]);
  });

  t.test('on a single node ovnkube-node has no right at all', async (t) => {
    const rightsOf = (flavor: 'classic' | 'multi-node', account: string): string[] =>
      granted(renderManifests({ ...settings, flavor }), account);
    t.same(rightsOf('classic', 'ovn-kubernetes-node'), []);
    const controller = 'ovn-kubernetes-controller';
    t.same(rightsOf('classic', controller), rightsOf('multi-node', controller));
  });
}
