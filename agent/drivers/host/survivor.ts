import { outlive, type Survivor } from './exec.ts';

/**
 * systemd ends what a dead unit has left with SIGTERM: that must not reach it before it is done. A whole control group can be killed with
 * us (an SSH session, a scope), so it goes into that of the root, by cgroup v2 or systemd's own hierarchy of v1. Our unit may not write
 * there, and calls `recover` instead. Its own script is the first word.
 */
const script = `trap "" TERM
for procs in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/systemd/cgroup.procs; do
  [ ! -w "$procs" ] || echo $$ > "$procs"
done 2> /dev/null
echo ready
own=$1
shift
eval "$own"`;

/**
 * Starts a shell script that outlives us, whatever we are ended with. Its standard input ends when we die. Resolves when nothing that ends us
 * ends the script any more. Fails with `command-missing`.
 */
export function startSurvivor(own: string, words: readonly string[]): Promise<Survivor> {
  return outlive('sh', ['-c', script, 'sh', own, ...words]);
}
