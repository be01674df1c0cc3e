#!/bin/bash
# Boots the node once on this machine's own kernel, like a container, for tests that need nf_tables, which User-Mode Linux lacks. The disk, the file
# descriptors and the shutdown are those of boot.sh; the node cannot change /dev, /sys, and /proc/sys except /proc/sys/net.
#   boot-here.sh MEMORY KERNEL-ARGUMENT...       file descriptors: 1 console, 3 command channel, 4 interactive line
set -eu
root=/mnt/root
mountpoint -q "$root" # without the mount, the commands below would change this machine's own file system
if [ "$1" != inside ]; then
  group=/mnt/cgroup/$$
  mkdir "$group"
  echo $$ > "$group/cgroup.procs"
  exec unshare -m -p -n -u -i -C -f --kill-child=KILL "$0" inside "$@"
fi
shift 2
"$(dirname "$0")/guest/kernel-folders.sh" "$root"
echo "$*" > "$root/testnode/cmdline"
mount --bind "$root/testnode/cmdline" "$root/proc/cmdline"

mkdir "$root/dev/net"
for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'console 1 3' 'net/tun 10 200'; do
  read -r name major minor <<< "$device"
  mknod -m 666 "$root/dev/$name" c "$major" "$minor"
done
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=755 tmpfs "$root/run"

# Named pipes replace the serial lines; a pipe keeps data that is written before the node reads.
mkfifo "$root/run/to-node" "$root/run/from-node" "$root/run/to-shell" "$root/run/from-shell"
cat <&3 > "$root/run/to-node" &
cat < "$root/run/from-node" >&3 &
cat <&4 > "$root/run/to-shell" &
cat < "$root/run/from-shell" >&4 &
hostname node
exec env -i container=testnode PATH=/usr/sbin:/usr/bin TERM=linux \
  chroot "$root" /lib/systemd/systemd systemd.log_target=journal 3>&- 4>&-
