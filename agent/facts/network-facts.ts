import { readSmallFile } from '../drivers/host/files/files.ts';
import { fileText, namesIn, targetName } from '../drivers/host/files/kernel-files.ts';
import { takesAdvertisements } from '../drivers/host/kernel/ipv6-settings.ts';
import { openvswitchModule } from '../drivers/host/kernel/kernel-datapath.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { readRoutes, readSignpost } from '../drivers/host/kernel/routes.ts';
import { hasTun } from '../drivers/host/kernel/tun.ts';
import { hasProgram } from '../drivers/host/process/programs.ts';
import type { NetworkFacts } from '../model/examination.ts';
import { readForeignEntries } from './foreign.ts';
import { addedBridgesPath, parseAddedBridges } from './hints.ts';
import {
  kernelIpv6Fact,
  microshiftFact,
  microshiftScriptFact,
  missingPrograms,
  signpostFact,
  tunFact,
} from './make-observation.ts';
import { parseResolver } from './observe.ts';
import { readOthers } from './read-others.ts';
import { readSurroundings } from './read-surroundings.ts';

const sysctls = [
  'net.ipv4.ip_forward',
  'net.ipv6.conf.all.forwarding',
  'net.ipv6.conf.all.disable_ipv6',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
];
/** Words of dracut.cmdline(7) and of NetworkManager's initrd generator that configure a link. */
const networkWords = /^(ip|ifname|bond|bridge|vlan|team|nameserver|rd\.route|rd\.neednet|rd\.znet|BOOTIF)=/;
const dhcpPrograms = /^(dhclient|dhcpcd|udhcpc|dhcp6c|pump)$/;

/** Reads the kernel's network settings, and the traces of other programs that configure links. */
export async function readNetwork(): Promise<NetworkFacts> {
  const [links, routes] = [readLinks(), readRoutes()];
  const others = readOthers(readSmallFile);
  return {
    links,
    routes,
    ...signpostFact(readSignpost()),
    foreign: await readForeignEntries(links, routes, parseAddedBridges(readSmallFile(addedBridgesPath))),
    ...(await readSurroundings(links)),
    ...kernelIpv6Fact(links, takesAdvertisements),
    ...(others.length === 0 ? {} : { others }),
    ...microshiftScriptFact(readSmallFile),
    ...microshiftFact(hasProgram),
    ...tunFact(hasTun()),
    resolver: parseResolver(readSmallFile('/etc/resolv.conf') ?? ''),
    missingPrograms: missingPrograms(hasProgram),
    sysctls: Object.fromEntries(sysctls.map((name) => [name, sysctl(name)])),
    rpFilter: Object.fromEntries(
      ['all', ...links.map((link) => link.name)].flatMap((name) => {
        const value = fileText(`/proc/sys/net/ipv4/conf/${name}/rp_filter`);
        return value === null ? [] : [[name, Number(value)]];
      }),
    ),
    kernel: fileText('/proc/sys/kernel/osrelease') ?? '',
    openvswitchModule: openvswitchModule(),
    commandLine: (fileText('/proc/cmdline') ?? '').split(/\s+/).filter((word) => networkWords.test(word)),
    dhcpClients: dhcpClients(),
    networkdLinks: links
      .filter((link) => /^ADMIN_STATE=(?!unmanaged)/m.test(fileText(`/run/systemd/netif/links/${link.index}`) ?? ''))
      .map((link) => link.name),
    scriptedLinks: [...ifcfgLinks(), ...ifupdownLinks()],
  };
}

function sysctl(name: string): string | null {
  return fileText(`/proc/sys/${name.replaceAll('.', '/')}`)?.replaceAll(/\s+/g, ' ') ?? null;
}

/**
 * Returns the DHCP clients that NetworkManager has not started. NetworkManager's own clients have the script
 * nm-dhcp-helper among their arguments. Leaves out clients in the network namespace of a container or pod. A client
 * whose network namespace cannot be read may be in the namespace of the agent, and is included.
 */
export function dhcpClients(): NetworkFacts['dhcpClients'] {
  const own = targetName('/proc/self/ns/net');
  return namesIn('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || !dhcpPrograms.test(fileText(`/proc/${name}/comm`) ?? '')) return [];
    if ((targetName(`/proc/${name}/ns/net`) ?? own) !== own) return [];
    const command = (fileText(`/proc/${name}/cmdline`) ?? '').split('\0').filter((word) => word !== '');
    return command.some((word) => word.includes('nm-dhcp-helper')) ? [] : [{ pid: Number(name), command }];
  });
}

function ifcfgLinks(): NetworkFacts['scriptedLinks'] {
  const directory = '/etc/sysconfig/network-scripts';
  return namesIn(directory).flatMap((name) => {
    const link = /^ifcfg-([^.~]+)$/.exec(name)?.[1];
    if (link === undefined || link === 'lo') return [];
    const text = fileText(`${directory}/${name}`) ?? '';
    const device = /^\s*DEVICE=["']?([^"'\s#]+)/m.exec(text)?.[1] ?? link;
    return [{ link: device, file: `${directory}/${name}` }];
  });
}

/** Returns the links in the configuration of ifupdown (interfaces(5)). */
function ifupdownLinks(): NetworkFacts['scriptedLinks'] {
  const files = [
    '/etc/network/interfaces',
    ...namesIn('/etc/network/interfaces.d').map((name) => `/etc/network/interfaces.d/${name}`),
  ];
  return files.flatMap((file) =>
    [...(fileText(file) ?? '').matchAll(/^\s*iface\s+(\S+)\s+inet6?\s+(?!manual)/gm)]
      .map(([, link = '']) => link)
      .filter((link) => link !== 'lo')
      .map((link) => ({ link, file })),
  );
}
