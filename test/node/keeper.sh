#!/bin/bash
# Holds what a node keeps between its boots: the CPU's lock (taken by the process that started this script) and, in a
# mount namespace of its own, the node's disk: an overlay in memory over the base. When the test closes the keeper's
# input or crashes, the keeper exits, and the kernel deletes the disk and releases the lock.
#   keeper.sh BASE            prints "held", waits for a line, prints "ready"
set -eu
echo held
read -r _ || exit 0
mount -t tmpfs -o mode=755,size=6G tmpfs /mnt
mkdir -p /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$1,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mount --rbind /dev /mnt/root/dev
mount -t tmpfs -o size=8G,exec tmpfs /mnt/root/dev/shm
# The control groups of a node on this machine's kernel remain after the node, and after this script if it is killed. The start of the next node
# removes those that are still busy now.
drop() { find "$1" -depth -type d -exec rmdir {} + 2> /dev/null || true; }
mkdir /mnt/cgroup
group=
if mount -t cgroup2 cgroup2 /mnt/cgroup 2> /dev/null; then
  for old in /mnt/cgroup/testnode-*; do
    if [ -d "$old" ] && ! [ -d "/proc/${old##*-}" ]; then drop "$old"; fi
  done
  group=/mnt/cgroup/testnode-$$
  mkdir "$group"
  mount --bind "$group" /mnt/cgroup
fi
echo ready
cat > /dev/null
[ -n "$group" ] || exit 0
umount /mnt/cgroup
drop "$group"
