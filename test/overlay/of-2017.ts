// The rows of seed 004's cluster as ovn-kubernetes' first tool made them, command by command (bin/ovn-k8s-overlay, December 2017).
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { nodeOf } from '../unit/overlay/cluster.ts';
import type { Central } from './central.ts';

/** Name, subnet, MAC of the router's port, MAC of the management port. */
const nodes = [
  ['kube-master', '192.168.1', '00:00:00:B5:F1:57', 'ae:31:fa:c7:81:fc'],
  ['kube-node1', '192.168.2', '00:00:00:C0:2E:C7', 'ba:2c:06:32:14:78'],
  ['kube-node2', '192.168.3', '00:00:00:D3:4B:AA', '82:ff:e7:83:99:a9'],
] as const;

/** The three nodes, with the MACs that their management ports have. */
export function seedNodes(): readonly OverlayNode[] {
  return nodes.map(([name, prefix, , managementMac], index) =>
    nodeOf(index + 1, { name, subnets: [`${prefix}.0/24`], managementMac }),
  );
}

export function makeAsIn2017({ run }: Central): void {
  const nbctl = (...words: readonly string[]): string => run('ovn-nbctl', ...words).trim();
  const master = 'kube-master';
  nbctl(
    '--',
    '--may-exist',
    'lr-add',
    master,
    '--',
    'set',
    'logical_router',
    master,
    'external_ids:k8s-cluster-router=yes',
  );
  nbctl('--', 'create', 'load_balancer', 'external_ids:k8s-cluster-lb-tcp=yes');
  nbctl('--', 'create', 'load_balancer', 'external_ids:k8s-cluster-lb-udp=yes', 'protocol=udp');
  nbctl('--may-exist', 'ls-add', 'join');
  const joinMac = '00:00:00:1A:E4:98';
  nbctl(
    'lrp-add',
    master,
    `rtoj-${master}`,
    joinMac,
    '100.64.1.1/24',
    '--',
    'set',
    'logical_router_port',
    `rtoj-${master}`,
    'external_ids:connect_to_join=yes',
  );
  nbctl(
    'lsp-add',
    'join',
    `jtor-${master}`,
    '--',
    'set',
    'logical_switch_port',
    `jtor-${master}`,
    'type=router',
    `options:router-port=rtoj-${master}`,
    `addresses="${joinMac}"`,
  );
  for (const [name, prefix, routerMac, managementMac] of nodes) {
    nbctl('lrp-add', master, `rtos-${name}`, routerMac, `${prefix}.1/24`);
    nbctl(
      'ls-add',
      name,
      '--',
      'set',
      'logical_switch',
      name,
      `other-config:subnet=${prefix}.0/24`,
      `external-ids:gateway_ip=${prefix}.1/24`,
    );
    nbctl(
      'lsp-add',
      name,
      `stor-${name}`,
      '--',
      'set',
      'logical_switch_port',
      `stor-${name}`,
      'type=router',
      `options:router-port=rtos-${name}`,
      `addresses="${routerMac}"`,
    );
    nbctl('lsp-add', name, `k8s-${name}`, '--', 'lsp-set-addresses', `k8s-${name}`, `${managementMac} ${prefix}.2`);
    for (const protocol of ['tcp', 'udp']) {
      const balancer = nbctl(
        '--data=bare',
        '--no-heading',
        '--columns=_uuid',
        'find',
        'load_balancer',
        `external_ids:k8s-cluster-lb-${protocol}=yes`,
      );
      nbctl('add', 'logical_switch', name, 'load_balancer', balancer);
    }
  }
}
