// Objects of Kubernetes in memory, for tests of the reactions to their changes. They are reported in the same way as
// the driver reports the objects of an API server.
import { randomUUID } from 'node:crypto';
import type { FollowedChange, Follower, KubernetesApi, Notice } from '../../agent/drivers/kubernetes/api.ts';
import { kinds } from '../../agent/run/overlay/watcher/followed-kinds.ts';

type Plural =
  | 'nodes'
  | 'namespaces'
  | 'pods'
  | 'services'
  | 'endpointslices'
  | 'networkpolicies'
  | 'clusternetworkpolicies';

export interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface StoredApi {
  /** Returns the API for one client; each client opens its own. */
  open(): KubernetesApi;
  put(plural: Plural, ...objects: readonly StoredObject[]): void;
  remove(plural: Plural, ...names: readonly string[]): void;
  get(plural: Plural, name: string): StoredObject | undefined;
  /** Events that were created. */
  readonly notices: Notice[];
  /** Returns the number of pods that were annotated. */
  readonly annotated: () => number;
  /** Lets all further annotations wait until allowAnnotations(). */
  holdAnnotations(): void;
  allowAnnotations(): void;
}

export function createStoredApi(): StoredApi {
  const stored = new Map(kinds.map(({ collection }) => [collection.plural, new Map<string, StoredObject>()]));
  const followers = new Set<{ readonly plural: string; readonly follower: Follower<unknown> }>();
  const notices: Notice[] = [];
  let annotated = 0;
  let isHeld = false;
  const tell = (plural: Plural, type: FollowedChange<unknown>['type'], objects: readonly StoredObject[]): void => {
    for (const one of followers)
      if (one.plural === plural)
        one.follower.changes(objects.map((object) => ({ type, object: one.follower.read(object) })));
  };
  const put = (plural: Plural, ...objects: readonly StoredObject[]): void => {
    for (const object of objects) stored.get(plural)?.set(keyOf(object), object);
    tell(plural, 'MODIFIED', objects);
  };
  return {
    open: () => ({
      follow: (collection, follower) => {
        const one = { plural: collection.plural, follower: follower as Follower<unknown> };
        followers.add(one);
        queueMicrotask(() => {
          const objects = stored.get(collection.plural)?.values() ?? [];
          if (followers.has(one)) follower.whole([...objects].map((object) => follower.read(object)));
        });
        return () => followers.delete(one);
      },
      annotate: async ({ namespace, name, uid }, annotations) => {
        if (isHeld) return new Promise(() => undefined);
        await Promise.resolve();
        const pod = stored.get('pods')?.get(`${namespace}/${name}`);
        if (pod === undefined || pod.metadata.uid !== uid) return 'gone';
        annotated += 1;
        const all = { ...pod.metadata.annotations, ...annotations } as Record<string, string>;
        put('pods', { ...pod, metadata: { ...pod.metadata, annotations: all } });
        return 'written';
      },
      annotateNode: async (name, annotations) => {
        await Promise.resolve();
        const node = stored.get('nodes')?.get(name);
        if (node === undefined) return 'gone';
        const { managedFields: fields = [], ...metadata } = node.metadata as NodeMetadata;
        const own = [...new Set([...fields.flatMap(ownFields), ...Object.keys(annotations)])];
        const left = own.filter((key) => annotations[key] !== null);
        const all = Object.entries({ ...metadata.annotations, ...annotations }).filter(([, value]) => value !== null);
        put('nodes', {
          ...node,
          metadata: {
            ...metadata,
            annotations: Object.fromEntries(all) as Record<string, string>,
            managedFields: managedFields(left),
          },
        } as StoredObject);
        return 'written';
      },
      report: (notice) => void notices.push(notice),
      wake: () => undefined,
      close: () => undefined,
    }),
    put,
    remove: (plural, ...names) => {
      const all = stored.get(plural);
      const gone = names.flatMap((name) => all?.get(name) ?? []);
      for (const name of names) all?.delete(name);
      tell(plural, 'DELETED', gone);
    },
    get: (plural, name) => stored.get(plural)?.get(name),
    notices,
    annotated: () => annotated,
    holdAnnotations: () => {
      isHeld = true;
    },
    allowAnnotations: () => {
      isHeld = false;
    },
  };
}

type Managed = ReturnType<typeof managedFields>[number];
type NodeMetadata = StoredObject['metadata'] & { readonly managedFields?: readonly Managed[] };

/** Returns metadata.managedFields of an object whose annotations the agent has written. */
export function managedFields(names: readonly string[]) {
  const annotations = Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  return [{ manager: 'microshift-net', fieldsV1: { 'f:metadata': { 'f:annotations': annotations } } }];
}

function ownFields({ fieldsV1 }: Managed): readonly string[] {
  return Object.keys(fieldsV1['f:metadata']['f:annotations']).map((field) => field.replace(/^f:/, ''));
}

function keyOf({ metadata }: StoredObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** Returns a pod on a node, as the scheduler leaves it. */
export function podOn(nodeName: string, name: string, special: Partial<StoredObject['metadata']> = {}): StoredObject {
  return {
    metadata: { namespace: 'default', name, uid: randomUUID(), labels: { app: 'web' }, ...special },
    spec: { nodeName, containers: [{ name: 'c' }] },
    status: { phase: 'Pending' },
  };
}
