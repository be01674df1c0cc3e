// MicroShift's release file, which lists the images of the release.
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { chooseImage } from '../../../agent/manifests/image.ts';
import { expectedFailure, printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const path = '/usr/share/microshift/release/release-x86_64.json';
const image = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:0123456789abcdef';

export const release: FuzzTarget = {
  corpus: () =>
    [
      { release: { base: '4.20.0' }, images: { 'ovn-kubernetes-microshift': image, pod: image } },
      { images: { ovn_kubernetes_microshift: image } },
      { images: {} },
    ].map((value) => Buffer.from(JSON.stringify(value))),
  words: ['"', '{', '}', ':', ',', 'images', 'ovn-kubernetes-microshift', '\\u001b', ' ', '@', '\ufeff'],
  form: 'json',
  open: () => ({
    feed: (input) => {
      try {
        const chosen = chooseImage({
          asked: null,
          config: defaultConfig,
          release: { path, text: input.toString() },
          usesCluster: true,
        });
        printable(chosen.value, 'the image');
        return 'an image';
      } catch (error) {
        return expectedFailure(error, /^image-unknown$/);
      }
    },
    close: () => undefined,
  }),
};
