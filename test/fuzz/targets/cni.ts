// Requests of a container runtime, and annotations of a pod, which many accounts can write.
import { type Attachment, linkOf, nodeLines, podLines } from '../../../agent/cni/attachment.ts';
import { checkFaults } from '../../../agent/cni/check.ts';
import { cniCommands, readRequest, versionOf } from '../../../agent/cni/cni-request.ts';
import { CniError, errorResult } from '../../../agent/cni/error.ts';
import { readNodePod } from '../../../agent/cni/node-pod.ts';
import { successResult } from '../../../agent/cni/result.ts';
import type { FuzzTarget } from '../target.ts';

const args = 'K8S_POD_NAMESPACE=default;K8S_POD_NAME=a;K8S_POD_UID=u';
const config = JSON.stringify({ cniVersion: '1.1.0', name: 'x', type: 'y' });
const network = JSON.stringify({
  default: {
    ip_addresses: ['10.42.1.3/24'],
    mac_address: '0a:58:0a:2a:01:03',
    gateway_ips: ['10.42.1.1'],
    routes: [{ dest: '10.42.0.0/16', nextHop: '10.42.1.1' }],
  },
});
const seen = JSON.stringify([{ ifname: 'eth0', flags: ['UP'], addr_info: [{ local: '10.42.1.3', prefixlen: 24 }] }]);
/** Pattern of an input line for ip(8): plain words, and the quoted alias of a pod's interface. */
const line = /^[\w./+:@,=-]+( ([\w./+:@,=-]+|"microshift-net pod"))*$/;

export const cniRequests: FuzzTarget = {
  corpus: () =>
    ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'].map((command) =>
      Buffer.from([command, 'c1', '/run/netns/a', 'eth0', args, config, seen, network].join('\0')),
    ),
  words: [
    '\0',
    '\n',
    '"',
    ' ',
    '/',
    ';',
    'K8S_POD_NAME=',
    '"prevResult":{},',
    '"cni.dev/valid-attachments":[],',
    '::/0',
    'fd01::1',
  ],
  form: 'bytes',
  open: () => ({
    feed: (input) => {
      const [asked = '', ...words] = input.toString().split('\0');
      const text = words.pop() ?? '';
      const command = cniCommands.find((one) => one === asked) ?? 'ADD';
      try {
        const request = readRequest(command, words);
        const annotations = { 'k8s.ovn.org/pod-networks': text, 'microshift-net/address-of': 'u' };
        const pod = readNodePod({ metadata: { uid: 'u', annotations } });
        if (pod.network === null || command === 'GC' || command === 'STATUS' || command === 'DEL') return 'a request';
        const { containerId, netns, ifname } = request;
        const attachment: Attachment = {
          ...{ containerId, netns, ifname, link: linkOf(containerId), logicalPort: 'default_a', uid: 'u', mtu: 1400 },
          network: pod.network,
        };
        for (const one of [...nodeLines(attachment), ...podLines(attachment)])
          if (!line.test(one)) throw new Error(`a line that ip(8) reads in another way: ${JSON.stringify(one)}`);
        JSON.parse(successResult(request.config.version, attachment, request.config.dns));
        checkFaults(attachment, null, request.observed, request.config.prevResult);
        return 'an interface';
      } catch (error) {
        if (!(error instanceof CniError)) throw error;
        const { cniVersion, code } = JSON.parse(errorResult(versionOf(words[4] ?? ''), error));
        if (typeof cniVersion !== 'string' || typeof code !== 'number') throw new Error('an invalid error');
        return 'refused';
      }
    },
    close: () => undefined,
  }),
};
