// Rows of a small cluster as ovn-kubernetes' first tool wrote them, command by command (bin/ovn-k8s-overlay, December
// 2017).
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { nodeOf } from '../unit/overlay/cluster.ts';
import type { Central } from './central.ts';

/** Name, prefix of the subnet, MAC of the router's port, and MAC of the management port of each node. */
const nodes = [
  ['kube-master', '192.168.1', '00:00:00:B5:F1:57', 'ae:31:fa:c7:81:fc'],
  ['kube-node1', '192.168.2', '00:00:00:C0:2E:C7', 'ba:2c:06:32:14:78'],
  ['kube-node2', '192.168.3', '00:00:00:D3:4B:AA', '82:ff:e7:83:99:a9'],
] as const;

/** Returns the three nodes, with the MACs of their management ports. */
export function seedNodes(): readonly OverlayNode[] {
  return nodes.map(([name, prefix, , managementMac], index) =>
    nodeOf(index + 1, { name, subnets: [`${prefix}.0/24`], managementMac }),
  );
}

/** Runs a command of ovn-nbctl; `value` is a last argument that contains spaces. */
type Nbctl = (command: string, ...value: readonly string[]) => string;

function nbctlOf({ run }: Central): Nbctl {
  return (command, ...value) => run('ovn-nbctl', ...command.split(' '), ...value).trim();
}

export function makeAsIn2017(central: Central): void {
  const nbctl = nbctlOf(central);
  const master = 'kube-master';
  const isRouter = 'external_ids:k8s-cluster-router=yes';
  nbctl(`-- --may-exist lr-add ${master} -- set logical_router ${master} ${isRouter}`);
  nbctl('-- create load_balancer external_ids:k8s-cluster-lb-tcp=yes');
  nbctl('-- create load_balancer external_ids:k8s-cluster-lb-udp=yes protocol=udp');
  nbctl('--may-exist ls-add join');
  const joinMac = '00:00:00:1A:E4:98';
  joinRouter(nbctl, master, joinMac, '100.64.1.1/24');
  for (const [name, prefix, routerMac, managementMac] of nodes) {
    nbctl(`lrp-add ${master} rtos-${name} ${routerMac} ${prefix}.1/24`);
    const columns = `other-config:subnet=${prefix}.0/24 external-ids:gateway_ip=${prefix}.1/24`;
    nbctl(`ls-add ${name} -- set logical_switch ${name} ${columns}`);
    connect(nbctl, name, `stor-${name}`, `rtos-${name}`, routerMac);
    nbctl(`lsp-add ${name} k8s-${name} -- lsp-set-addresses k8s-${name}`, `${managementMac} ${prefix}.2`);
    for (const protocol of ['tcp', 'udp']) {
      const found = `find load_balancer external_ids:k8s-cluster-lb-${protocol}=yes`;
      const balancer = nbctl(`--data=bare --no-heading --columns=_uuid ${found}`);
      nbctl(`add logical_switch ${name} load_balancer ${balancer}`);
    }
  }
}

/** Writes the rows of the gateway on the third node as after two initializations, which duplicated its translation. */
export function makeGatewayAsIn2017(central: Central): void {
  const nbctl = nbctlOf(central);
  const [name, address, mac] = ['GR_kube-node2', '192.0.2.13', '52:54:00:00:00:03'];
  const { systemId } = nodeOf(3);
  const ids = `external_ids:physical_ip=${address} external_ids:first_gateway=yes`;
  nbctl(`lr-add ${name} -- set logical_router ${name} options:chassis=${systemId} ${ids}`);
  joinRouter(nbctl, name, '00:00:00:7C:11:02', '100.64.1.2/24');
  nbctl(`lr-route-add ${name} 192.168.0.0/16 100.64.1.1`);
  nbctl('lr-route-add kube-master 0.0.0.0/0 100.64.1.2');
  for (const protocol of ['TCP', 'UDP']) {
    const kind = protocol === 'UDP' ? ' protocol=udp' : '';
    const balancer = nbctl(`create load_balancer external_ids:${protocol}_lb_gateway_router=${name}${kind}`);
    nbctl(`add logical_router ${name} load_balancer ${balancer}`);
  }
  nbctl('ls-add ext_kube-node2');
  nbctl('lsp-add ext_kube-node2 breth0_kube-node2 -- lsp-set-addresses breth0_kube-node2 unknown');
  const outside = `set logical_router_port rtoe-${name} external-ids:gateway-physical-ip=yes`;
  nbctl(`lrp-add ${name} rtoe-${name} ${mac} ${address}/24 -- ${outside}`);
  nbctl(`lr-route-add ${name} 0.0.0.0/0 192.0.2.1 rtoe-${name}`);
  connect(nbctl, 'ext_kube-node2', `etor-${name}`, `rtoe-${name}`, mac);
  const nat = `create nat type=snat logical_ip=192.168.0.0/16 external_ip=${address}`;
  for (let run = 0; run < 2; run += 1) nbctl(`-- --id=@nat ${nat} -- add logical_router ${name} nat @nat`);
  nbctl(`set logical_router ${name} options:lb_force_snat_ip=100.64.1.2`);
}

/** Connects a router to the switch between the routers. */
function joinRouter(nbctl: Nbctl, router: string, mac: string, address: string): void {
  const port = `set logical_router_port rtoj-${router} external_ids:connect_to_join=yes`;
  nbctl(`lrp-add ${router} rtoj-${router} ${mac} ${address} -- ${port}`);
  connect(nbctl, 'join', `jtor-${router}`, `rtoj-${router}`, mac);
}

function connect(nbctl: Nbctl, to: string, name: string, peer: string, mac: string): void {
  const columns = `type=router options:router-port=${peer} addresses="${mac}"`;
  nbctl(`lsp-add ${to} ${name} -- set logical_switch_port ${name} ${columns}`);
}

/** Output of `ovn-nbctl show` in 2017, after the first node. */
export const shownAfterMaster = `
switch d034f42f-6dd5-4ba9-bfdd-114ce17c9235 (kube-master)
    port k8s-kube-master
        addresses: ["ae:31:fa:c7:81:fc 192.168.1.2"]
    port stor-kube-master
        type: router
        addresses: ["00:00:00:B5:F1:57"]
        router-port: rtos-kube-master
switch 2680f36b-85c2-4064-b811-5c0bd91debdd (join)
    port jtor-kube-master
        type: router
        addresses: ["00:00:00:1A:E4:98"]
        router-port: rtoj-kube-master
router ce75b330-dbd3-43d2-aa4f-4e17af898532 (kube-master)
    port rtos-kube-master
        mac: "00:00:00:B5:F1:57"
        networks: ["192.168.1.1/24"]
    port rtoj-kube-master
        mac: "00:00:00:1A:E4:98"
        networks: ["100.64.1.1/24"]
`;

/** Output after all three nodes: the parts that the guide shows. */
export const shownAfterNodes = `
switch 0147b986-1dab-49a5-9c4e-57d9feae8416 (kube-node1)
    port k8s-kube-node1
        addresses: ["ba:2c:06:32:14:78 192.168.2.2"]
    port stor-kube-node1
        type: router
        addresses: ["00:00:00:C0:2E:C7"]
        router-port: rtos-kube-node1
router ce75b330-dbd3-43d2-aa4f-4e17af898532 (kube-master)
    port rtos-kube-node2
        mac: "00:00:00:D3:4B:AA"
        networks: ["192.168.3.1/24"]
    port rtos-kube-node1
        mac: "00:00:00:C0:2E:C7"
        networks: ["192.168.2.1/24"]
    port rtos-kube-master
        mac: "00:00:00:B5:F1:57"
        networks: ["192.168.1.1/24"]
    port rtoj-kube-master
        mac: "00:00:00:1A:E4:98"
        networks: ["100.64.1.1/24"]
`;

/**
 * Returns switches and routers with their ports, in no order; UUIDs and MACs are masked, and lines that only later
 * releases print are left out.
 */
export function blocksOf(text: string): readonly string[] {
  const masked = text
    .replaceAll(/^ *ipv6-lla:.*\n/gm, '')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/([0-9a-f]{2}:){5}[0-9a-f]{2}/gi, 'MAC');
  const blocks = masked.split(/^(?=switch|router)/m).filter((block) => block.trim() !== '');
  return blocks
    .map((block) =>
      block
        .trim()
        .split(/\n(?= {4}port)/)
        .toSorted()
        .join('\n'),
    )
    .toSorted();
}
