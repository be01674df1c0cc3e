import { AgentError } from '../errors.ts';
import { type Config, microshiftRenders } from '../model/config.ts';
import { fieldAt, fieldManager, type KubernetesObject, listAt, ownerLabels } from '../model/kubernetes/object.ts';

/**
 * Refuses to write if the objects on the cluster belong to MicroShift. Unless `network.cniPlugin` is `none`, MicroShift
 * applies objects of the same names at each start (pkg/components/networking.go:25-130). With clusterToCluster,
 * MicroShift starts only with its own ovn-kubernetes (pkg/config/c2cc.go:311), so the agent refuses to write, whatever
 * the value of `network.cniPlugin` is. On a node without MicroShift, the agent never refuses.
 */
export function refuseBesideMicroshift(config: Pick<Config, 'cluster'>, hasMicroshift: boolean): void {
  if (!hasMicroshift) return;
  const { cniPlugin, remoteNetworks } = config.cluster;
  if (remoteNetworks.value.length > 0) {
    const message = `clusterToCluster.remoteClusters (${remoteNetworks.source}) needs MicroShift's own ovn-kubernetes, so nothing else may be put on the cluster`;
    throw new AgentError('manifests-foreign', message, {
      hint: 'leave the manifests to MicroShift, whose ovn-kubernetes also runs on this br-ex; or do without clusterToCluster',
      facts: { source: remoteNetworks.source },
    });
  }
  if (!microshiftRenders(config)) return;
  const by = cniPlugin.source === 'default' ? 'is not set' : `is ${cniPlugin.value} (${cniPlugin.source})`;
  const message = `network.cniPlugin ${by}, so MicroShift puts ovn-kubernetes on the cluster itself, under the same names`;
  throw new AgentError('manifests-foreign', message, {
    hint: 'leave that to MicroShift, whose ovn-kubernetes also runs on this br-ex; or set network.cniPlugin: none in /etc/microshift/config.yaml and restart it',
    facts: { source: cniPlugin.source },
  });
}

/** Returns true for an object of the agent: it has the agent's labels, or the agent owns fields of it. */
export function isOurs(object: KubernetesObject): boolean {
  const labels = object.metadata.labels ?? {};
  if (Object.entries(ownerLabels).every(([name, value]) => labels[name] === value)) return true;
  return listAt(object, 'metadata', 'managedFields').some((entry) => fieldAt(entry, 'manager') === fieldManager);
}

/**
 * Returns the other field managers that own a field which the agent owns as well, or any field outside of the object's
 * metadata. Managers that own only labels and annotations, such as those of `kubectl label` and `kubectl rollout
 * restart`, do not count, and neither do managers of subresources such as the status.
 */
export function coOwners(object: KubernetesObject): string[] {
  const entries = listAt(object, 'metadata', 'managedFields');
  const isApplied = (entry: unknown): boolean => fieldAt(entry, 'manager') === fieldManager;
  const own = fieldAt(entries.find(isApplied), 'fieldsV1');
  const others = entries.filter((entry) => !isApplied(entry) && fieldAt(entry, 'subresource') === undefined);
  const partners = others.filter((entry) => hasPart(fieldAt(entry, 'fieldsV1'), own, false));
  return [...new Set(partners.map((entry) => String(fieldAt(entry, 'manager'))))].sort();
}

/**
 * Returns true if the field set `theirs` contains a field that is in `ours` as well, or any field outside of the
 * object's metadata. Field sets are trees whose leaves are empty; `.` stands for a map or an item itself (FieldsV1,
 * k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
 */
function hasPart(theirs: unknown, ours: unknown, inMetadata: boolean): boolean {
  return Object.entries(theirs ?? {}).some(([name, inner]) => {
    if (name === '.') return false;
    const isMetadata = inMetadata || name === 'f:metadata';
    const own = fieldAt(ours, name);
    const isLeaf = Object.keys(inner ?? {}).length === 0;
    return isLeaf ? !isMetadata || own !== undefined : hasPart(inner, own, isMetadata);
  });
}
