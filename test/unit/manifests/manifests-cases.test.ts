import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { yamlFiles, yamlStream } from '../../../agent/drivers/kubernetes/manifest-yaml.ts';
import { asAgentError } from '../../../agent/errors.ts';
import { chooseFlavor } from '../../../agent/manifests/flavor.ts';
import { chooseImage } from '../../../agent/manifests/image.ts';
import { defaultCniBinDirectory, renderManifests } from '../../../agent/manifests/render.ts';
import type { KubernetesObject } from '../../../agent/model/kubernetes/object.ts';
import type { ManifestsFlavor } from '../../../agent/model/manifest-flavors.ts';
import { withChanges } from './changed-config.ts';
import { placedChanges } from './placed-changes.ts';
import { shortYaml } from './short-yaml.ts';

/**
 * Every folder of test/cases/manifests is a test: input.json, and manifests.yaml or error.txt. A case that is `like`
 * another case has manifests.diff instead: the lines in which its manifests differ from the other's, each with its
 * place. Short lists and mappings are on one line. UPDATE_CASES=1 writes the files again.
 */
const folder = join(import.meta.dirname, '../../../../test/cases/manifests');

interface Input {
  /** Case with which this case's manifests are compared. */
  readonly like?: string;
  /**
   * Settings that differ from the defaults, as in {"cluster": {"nodeIp": "192.0.2.10"}}; their source is ovn.yaml:1.
   */
  readonly config?: Record<string, unknown>;
  readonly flavor?: ManifestsFlavor;
  readonly image?: string;
  readonly cniBinDirectory?: string;
  readonly controlPlane?: string;
  /** Text of MicroShift's release file. */
  readonly release?: string;
}

for (const name of readdirSync(folder).sort()) {
  t.test(name, async (t) => {
    const input = inputOf(name);
    const { file, text } = outcome(input);
    if (process.env.UPDATE_CASES !== undefined) writeFileSync(join(folder, name, file), text);
    const path = join(folder, name, file);
    t.equal(text, existsSync(path) ? readFileSync(path, 'utf8') : null, file);
    t.equal(outcome(input).text, text, 'a second run renders the same bytes');
  });
}

t.test('a stream and the files of the manifests, as the commands write them', (t) => {
  const objects = rendered(inputOf('multi-node'));
  t.strictSame(loadAll(yamlStream(objects)), objects);
  t.strictSame(loadAll(Object.values(yamlFiles(objects, false)).join('---\n')), objects);
  t.strictSame(loadAll(shortYaml(objects)), objects, 'the short form of the cases has the same values');
  const [namespace = { metadata: {} }] = objects;
  const text = `---
apiVersion: v1
kind: Namespace
metadata:
  name: openshift-ovn-kubernetes
  labels:
    pod-security.kubernetes.io/enforce: privileged
    pod-security.kubernetes.io/audit: privileged
    pod-security.kubernetes.io/warn: privileged
    openshift.io/run-level: '0'
    app.kubernetes.io/managed-by: microshift-net
    app.kubernetes.io/part-of: ovn-kubernetes
  annotations:
    openshift.io/node-selector: ''
    workload.openshift.io/allowed: management
`;
  t.equal(yamlStream(objects).slice(0, text.length), text);
  t.equal(
    yamlFiles([namespace as KubernetesObject], false)['01-namespace-openshift-ovn-kubernetes.yaml'],
    text.slice(4),
  );
  t.end();
});

function inputOf(name: string): Input {
  return JSON.parse(readFileSync(join(folder, name, 'input.json'), 'utf8')) as Input;
}

function outcome(input: Input): { file: string; text: string } {
  try {
    const objects = rendered(input);
    if (input.like === undefined) return { file: 'manifests.yaml', text: shortYaml(objects) };
    const changes = placedChanges(shortYaml(rendered(inputOf(input.like))), shortYaml(objects));
    return { file: 'manifests.diff', text: changes.map((line) => `${line}\n`).join('') };
  } catch (thrown) {
    const { kind, message, hint } = asAgentError(thrown);
    return { file: 'error.txt', text: `${kind}\n${message}\n${hint}\n` };
  }
}

function rendered({ cniBinDirectory, controlPlane, ...input }: Input): readonly KubernetesObject[] {
  const config = withChanges(defaultConfig, input.config ?? {});
  const flavor = chooseFlavor(config, input.flavor ?? null);
  const release = { path: '/usr/share/microshift/release/release-x86_64.json', text: input.release ?? null };
  const { value: image } = chooseImage({ asked: input.image ?? null, config, release, usesCluster: false });
  const settings = { cniBinDirectory: cniBinDirectory ?? defaultCniBinDirectory, controlPlane: controlPlane ?? null };
  const objects = renderManifests({ config, flavor, image, ...settings });
  // The scripts are separate files; a copy of them in every case would hide the differences.
  return objects.filter(({ metadata }) => metadata.name !== 'ovnkube-scripts');
}
