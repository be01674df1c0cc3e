// Second booted node inside of a first node that runs on this machine's kernel (guest/second-node.sh starts it).

/** Name of the second node, and its address beside 192.0.2.50. */
export const second = { name: 'second', address: '192.0.2.51' } as const;

/** Prefix of a command on the first node that runs the command on the second one. */
export const onSecond = '/testnode/on-second.sh';

/**
 * Returns files of the first node: a unit whose start ends when the second node has booted, and whose stop cuts the
 * power of the second node. `edit` changes the new disk.
 */
export function withSecondNode(edit = ''): Record<string, string> {
  const start = `/testnode/second-node.sh ${second.name} ${second.address} ${edit}`.trimEnd();
  return {
    '/etc/systemd/system/second-node.service': `[Unit]\nAfter=testnode-lan.service
[Service]\nType=notify\nNotifyAccess=all\nTimeoutStartSec=120\nExecStart=${start}\nKillSignal=SIGKILL\nDelegate=yes\nTasksMax=infinity\n`,
  };
}
