// The real packages on a node of a demonstration, so that it has exactly what an administrator's node has.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPackages } from '../package/build-package.ts';
import type { NodeOptions, TestNode } from './node.ts';

const folder = '/root/packages';
/** Version of MicroShift whose own package is replaced by one of the built packages. */
const microshiftVersion = '5.0.0';

/** Builds the packages and boots a node with them in a folder, without the agent's files. */
export async function bootWithPackages(
  boot: (options: Pick<NodeOptions, 'bare' | 'folders'>) => Promise<TestNode>,
): Promise<TestNode> {
  const built = mkdtempSync(path.join(tmpdir(), 'demo-'));
  try {
    buildPackages('0.2.0', built, microshiftVersion);
    rmSync(path.join(built, 'ovn-k8s'), { recursive: true });
    return await boot({ bare: true, folders: { [folder]: built } });
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

/** Installs the packages. rpm(8) cannot find the dependencies, because dpkg has the records of this node. */
export function installPackages(node: TestNode): Promise<string> {
  return node.text(`rpm --nodeps -i ${folder}/*.noarch.rpm`, { timeoutMs: 120_000 });
}
