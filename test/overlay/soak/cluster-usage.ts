// Resources of the daemons of two nodes, and rows and links on the nodes.
import { readdirSync, readFileSync } from 'node:fs';
import type { Usage } from '../../node/soak/usage.ts';
import type { Daemon } from '../daemon.ts';
import type { Host } from '../hosts.ts';

/** Returns the figures of all nodes by name, for trendsOf(). */
export function usageOf(hosts: readonly Host[], daemons: ReadonlyMap<Host, Daemon>): Usage {
  return Object.fromEntries(
    hosts.flatMap((host) => {
      const pid = daemons.get(host)?.pid ?? 0;
      const status = readFileSync(host.path(`/proc/${pid}/status`), 'utf8');
      const links = host.must('ip', '-oneline', 'link').trim().split('\n').length;
      return [
        [`KiB daemon of ${host.name}`, Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1])],
        [`fds daemon of ${host.name}`, readdirSync(host.path(`/proc/${pid}/fd`)).length],
        [`links of ${host.name}`, links],
        [`namespaces of ${host.name}`, host.must('ip', 'netns', 'list').split('\n').length],
        [`files in /run of ${host.name}`, Number(host.must('sh', '-c', 'find /run/microshift-net -type f | wc -l'))],
      ];
    }),
  );
}
