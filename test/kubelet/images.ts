// Images of the test's pods, as an archive that containerd imports (OCI Image Format Specification, image layout), so
// that no registry is needed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtBinaries } from '../cluster/binaries.ts';

export const pauseImage = 'registry.test/pause:1';
export const testImage = 'registry.test/in-pod:1';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** Writes the archive: both images contain only the program of test/cluster/in-pod. */
export function writeImages(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'microshift-net-image-'));
  try {
    const blobs = join(folder, 'blobs/sha256');
    mkdirSync(blobs, { recursive: true });
    const put = (mediaType: string, content: string | Buffer) => {
      const hex = createHash('sha256').update(content).digest('hex');
      writeFileSync(join(blobs, hex), content);
      return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(content) };
    };
    const tar = ['--owner=0', '--group=0', '--mtime=@0', '--sort=name'];
    execFileSync('tar', [...tar, '-cf', join(folder, 'layer'), '-C', join(builtBinaries().inPod, '..'), 'in-pod']);
    const layer = put('application/vnd.oci.image.layer.v1.tar', readFileSync(join(folder, 'layer')));
    rmSync(join(folder, 'layer'));
    const image = (name: string, words: readonly string[]) => {
      const config = {
        architecture: process.arch === 'x64' ? 'amd64' : process.arch,
        os: 'linux',
        config: { Entrypoint: ['/in-pod'], Cmd: words },
        rootfs: { type: 'layers', diff_ids: [layer.digest] },
      };
      const described = put('application/vnd.oci.image.config.v1+json', JSON.stringify(config));
      const manifest = { schemaVersion: 2, mediaType: manifestType, config: described, layers: [layer] };
      const annotations = { 'io.containerd.image.name': name };
      return { ...put(manifestType, JSON.stringify(manifest)), annotations };
    };
    const manifests = [image(pauseImage, ['pause']), image(testImage, ['serve'])];
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
    writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    execFileSync('tar', [...tar, '-cf', file, '-C', folder, '.']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
