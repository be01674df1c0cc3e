// Resources of a node's daemons at a moment, and remains of the agent on it.
import type { TestNode } from '../node.ts';

/**
 * Figures by name: `fds NetworkManager`, `KiB ovs-vswitchd`, `program sshd`, `profiles`, …; a missing figure counts as
 * 0.
 */
export type Usage = Readonly<Record<string, number>>;

// The script first stops services that exit by themselves later, because they hold connections to the bus until then.
const script = `
systemctl stop NetworkManager-dispatcher systemd-hostnamed 2> /dev/null
for daemon in NetworkManager ovsdb-server ovs-vswitchd dbus-daemon; do
  pid=$(pgrep -o -x "$daemon") || continue
  echo "fds $daemon=$(ls "/proc/$pid/fd" | wc -l)"
  echo "KiB $daemon=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status")"
done
echo "profiles=$(nmcli -t -f UUID connection | wc -l)"
echo "OVSDB rows=$(ovsdb-client --no-headings -f csv dump Open_vSwitch | grep -cE '^"?[0-9a-f]{8}-[0-9a-f]{4}-')"
echo "checkpoints=$(busctl get-property org.freedesktop.NetworkManager /org/freedesktop/NetworkManager org.freedesktop.NetworkManager Checkpoints | awk '{ print $2 }')"
echo "bus connections=$(busctl list --no-legend | grep -c '^:')"
matches=$(busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.Debug.Stats GetAllMatchRules 2> /dev/null) &&
  echo "bus match rules=$(grep -o "type='" <<< "$matches" | wc -l)"
echo "links=$(ls /sys/class/net | wc -l)"
# NetworkManager keeps a file for each device of Open vSwitch that is gone, by the number of its link. The check of the
# uplinks writes the file seen-br-ex at the first change that it sees, which can be in any run.
echo "files in /run=$(find /run/microshift-net /run/NetworkManager /run/openvswitch -type f ! -path '*/devices/*' ! -name seen-br-ex 2> /dev/null | wc -l)"
echo "journals=$(ls /var/lib/microshift-net/tx 2> /dev/null | wc -l)"
# Services of systemd, such as the workers of udev, start and end at any time, so they are not counted. The loop starts
# no process, because it would count that process.
for p in /proc/[0-9]*; do
  group=''
  { [ -r "$p/exe" ] && read -r name < "$p/comm" && read -r -d '' group < "$p/cgroup"; } 2> /dev/null
  [ -n "$group" ] || continue
  case "$group" in */systemd-*) ;; *) echo "program $name=1" ;; esac
done
`;

const mostLooks = 3;

/**
 * Returns the minimum of several samples of each figure: a leak is in every sample, but a socket that a daemon opens
 * for a moment is not. Takes only one sample if no count is above that of `before`.
 */
export async function usageOf(node: TestNode, before: Usage | null): Promise<Usage> {
  let least = await usageNow(node);
  for (let look = 1; look < mostLooks && (before === null || hasMore(least, before)); look++) {
    const again = await usageNow(node);
    const names = new Set([...Object.keys(least), ...Object.keys(again)]);
    least = Object.fromEntries([...names].map((name) => [name, Math.min(least[name] ?? 0, again[name] ?? 0)]));
  }
  return least;
}

/**
 * Returns true if a count has grown, other than memory, whose growth is judged later, and journals, because every run
 * leaves one.
 */
function hasMore(usage: Usage, before: Usage): boolean {
  return Object.entries(usage).some(
    ([name, count]) => !name.startsWith('KiB ') && name !== 'journals' && count > (before[name] ?? 0),
  );
}

async function usageNow(node: TestNode): Promise<Usage> {
  const usage: Record<string, number> = {};
  for (const line of (await node.text(script, { timeoutMs: 60_000 })).split('\n')) {
    const end = line.lastIndexOf('=');
    const name = line.slice(0, end);
    usage[name] = (usage[name] ?? 0) + Number(line.slice(end + 1));
  }
  return usage;
}
