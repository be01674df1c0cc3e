import { geneveOverheadBytes, mtuWarnings } from '../config/warnings.ts';
import { type Config, microshiftRenders } from '../model/config.ts';
import { bridges as ownBridges } from '../model/names.ts';
import type { Link } from '../model/observation.ts';
import { advice, type Check, failed, given, notApplicable, ok, verdictOf, warning } from './finding.ts';

/** Management port of ovn-kubernetes, the node's interface in the pods' network. */
const managementPort = 'ovn-k8s-mp0';

/** Checks of the kernel: MTUs, addresses, forwarding, reverse path filters, port ranges and SELinux. */
export const kernelChecks: readonly Check[] = [
  {
    id: 'mtu',
    title: 'packets fit',
    judge: ({ network }, { config, uplink }) =>
      given(network, ({ links }) => {
        const nic = linkNamed(links, uplink);
        const bridge = linkNamed(links, 'br-ex');
        const pods = linkNamed(links, managementPort);
        const wanted = podsMtu(config, nic);
        const renew = microshiftRenders(config) ? 'systemctl restart microshift' : 'microshift-net manifests apply';
        const geneve = geneveOverheadBytes.ipv6;
        return verdictOf(
          [
            nic !== null &&
              bridge !== null &&
              bridge.mtuBytes > nic.mtuBytes &&
              failed(
                `br-ex has MTU ${bridge.mtuBytes}, ${nic.name} only ${nic.mtuBytes}: larger packets are lost`,
                `ip link set ${nic.name} mtu ${bridge.mtuBytes} # if the network carries ${bridge.mtuBytes}`,
                `nmcli connection modify PROFILE 802-3-ethernet.mtu ${nic.mtuBytes} && microshift-net apply # if not; PROFILE is that of ${nic.name}`,
              ),
            ...mtuWarnings(config, nic?.mtuBytes ?? null).map(({ source, message }) =>
              warning(`${source}: ${message}`, advice('change mtu in /etc/microshift/ovn.yaml')),
            ),
            pods !== null &&
              wanted !== null &&
              pods.mtuBytes > wanted &&
              warning(
                `pods have MTU ${pods.mtuBytes} (${managementPort}), the configuration says ${wanted}: it counts from the next start of their network`,
                `${renew} # then reboot`,
              ),
          ],
          ...[nic, bridge, pods].flatMap((link) => (link === null ? [] : [`${link.name}: MTU ${link.mtuBytes}`])),
          `pods: MTU ${wanted ?? unknownMtu(config)}; a tunnel between nodes takes up to ${geneve} bytes of the uplink's`,
        );
      }),
  },
  {
    id: 'addresses',
    title: 'addresses can be used',
    judge: ({ network }) =>
      given(network, ({ links }) => {
        const duplicates = links.flatMap(({ name, addresses }) =>
          addresses.map(
            ({ address, dadFailed }) =>
              dadFailed &&
              failed(
                `${address} on ${name} is not used: another machine in the network has it (duplicate address detection)`,
                'ip -6 neighbour # to find that machine',
                `nmcli device reapply ${name} # once it has another address`,
              ),
          ),
        );
        return verdictOf(duplicates, 'no duplicate was found');
      }),
  },
  {
    id: 'forwarding',
    title: 'the kernel forwards packets of pods',
    judge: ({ network }, { config, hasOvnKubernetes }) =>
      given(network, ({ sysctls }) => {
        const networks = config.cluster.clusterNetwork.value;
        const has = (isIpv6: boolean): boolean => networks.some((cidr) => cidr.includes(':') === isIpv6);
        const names = [
          ...(has(false) ? ['net.ipv4.ip_forward'] : []),
          ...(has(true) ? ['net.ipv6.conf.all.forwarding'] : []),
        ];
        const off = names.filter((name) => sysctls[name] === '0');
        if (!hasOvnKubernetes && off.length > 0)
          return notApplicable(`${off.join(', ')} is 0; ovn-kubernetes turns it on when it starts`);
        return verdictOf(
          off.map((name) =>
            failed(
              `${name} is 0, although ovn-kubernetes runs here: nothing outside reaches pods and NodePorts`,
              `sysctl -w ${name}=1`,
              `grep -r ${name} /etc/sysctl.d /usr/lib/sysctl.d /run/sysctl.d /etc/sysctl.conf # what turns it off`,
            ),
          ),
          ...names.map((name) => `${name} = ${sysctls[name] ?? 'absent'}`),
        );
      }),
  },
  {
    id: 'rp-filter',
    title: 'the kernel does not drop answers by their source',
    judge: ({ network }, { hasOvnKubernetes, plan }) =>
      given(network, ({ rpFilter, links }) => {
        // The effective rp_filter of a link is the larger of `all` and the link's own value; 1 is strict, 2 loose
        // (ip-sysctl of the kernel).
        const effective = (name: string): number => Math.max(rpFilter.all ?? 0, rpFilter[name] ?? 0);
        const isStrict = (name: string): boolean => linkNamed(links, name) !== null && effective(name) === 1;
        const two = plan !== null && plan.wanted.bridges.length > 1;
        const shown = ['br-ex', 'br-ex1', managementPort].filter((name) => linkNamed(links, name) !== null);
        return verdictOf(
          [
            hasOvnKubernetes &&
              isStrict(managementPort) &&
              failed(
                `net.ipv4.conf.${managementPort}.rp_filter is strict: answers of pods to the node are dropped`,
                `sysctl -w net.ipv4.conf.${managementPort}.rp_filter=2`,
              ),
            ...ownBridges.map(
              ({ bridge }) =>
                two &&
                isStrict(bridge) &&
                warning(
                  `net.ipv4.conf.${bridge}.rp_filter is strict: with two gateway bridges, what comes in by one and is answered by the other is dropped`,
                  `sysctl -w net.ipv4.conf.${bridge}.rp_filter=2 # and the same in a file of /etc/sysctl.d`,
                ),
            ),
          ],
          `all = ${rpFilter.all ?? 'absent'}`,
          ...shown.map((name) => `${name}: ${['off', 'strict', 'loose'][effective(name)] ?? 'unknown'}`),
        );
      }),
  },
  {
    id: 'port-range',
    title: 'NodePorts are not taken by the node itself',
    judge: ({ network }, { config }) =>
      given(network, ({ sysctls }) => {
        const nodePorts = rangeOf(config.cluster.serviceNodePortRange.value);
        const own = rangeOf(sysctls['net.ipv4.ip_local_port_range'] ?? '');
        if (nodePorts === null || own === null)
          return notApplicable('the kernel does not say which ports it gives out');
        const text = `NodePorts are ${nodePorts.first}-${nodePorts.last}, the kernel gives out ${own.first}-${own.last}`;
        const reserved = (sysctls['net.ipv4.ip_local_reserved_ports'] ?? '')
          .split(',')
          .flatMap((part) => rangeOf(part) ?? []);
        const shared = { first: Math.max(nodePorts.first, own.first), last: Math.min(nodePorts.last, own.last) };
        const kept = reserved.some((range) => range.first <= shared.first && range.last >= shared.last);
        if (shared.first > shared.last || kept) return ok(text);
        const setting = `net.ipv4.ip_local_reserved_ports=${nodePorts.first}-${nodePorts.last}`;
        return warning(
          `${text}: a connection of the node can take a port that a service needs`,
          `sysctl -w ${setting} # and the same in a file of /etc/sysctl.d`,
        );
      }),
  },
  {
    id: 'selinux',
    title: 'SELinux',
    judge: ({ system }) =>
      given(system, ({ selinux }) => {
        if (selinux === null) return notApplicable('the kernel has no SELinux');
        if (selinux === 'permissive') return ok('SELinux is permissive, or has no policy: it refuses nothing');
        return ok('SELinux is enforcing; what it refused: ausearch -m avc -ts boot');
      }),
  },
];

/**
 * Returns the expected MTU of the pods' network; null if it is unknown. It is unknown if the MTU is `auto` and no
 * uplink is known. It is also unknown if no MTU is set and MicroShift renders the manifests, because the default then
 * depends on the version of MicroShift. Before 4.19, it is the MTU of the default route's device
 * (pkg/config/ovn/ovn.go:74-102). Since 4.19, MicroShift does not find that route, because its netlink library sets the
 * route's destination, which pkg/util/net.go:375 expects to be nil; the default is then 1500.
 */
function podsMtu({ mtu, ...config }: Config, nic: Link | null): number | null {
  if (mtu.source === 'default' && microshiftRenders(config)) return null;
  return mtu.value === 'auto' ? (nic?.mtuBytes ?? null) : mtu.value;
}

function unknownMtu({ mtu }: Config): string {
  return mtu.source === 'default' ? 'as MicroShift chooses it' : 'of the uplink';
}

function linkNamed(links: readonly Link[], name: string | null): Link | null {
  return links.find((link) => link.name === name) ?? null;
}

/** Reads a range of ports, such as `30000-32767`, `32768 60999` or `8080`; null for any other text. */
function rangeOf(text: string): { readonly first: number; readonly last: number } | null {
  const [, first, last = first] = /^\s*(\d+)(?:[-\s]+(\d+))?\s*$/.exec(text) ?? [];
  return first === undefined ? null : { first: Number(first), last: Number(last) };
}
