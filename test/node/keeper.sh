#!/bin/bash
# Holds what a node keeps between its boots: the CPU's lock (taken by whoever started this) and, in a mount namespace of its own, the node's
# disk: an overlay in memory over the base. When the test closes our input or dies, we end, and the kernel drops both.
#   keeper.sh BASE            prints "held", waits for a line, prints "ready"
set -eu
echo held
read -r _ || exit 0
mount -t tmpfs -o mode=755,size=6G tmpfs /mnt
mkdir -p /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$1,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mount --rbind /dev /mnt/root/dev
mount -t tmpfs -o size=8G,exec tmpfs /mnt/root/dev/shm
echo ready
exec cat > /dev/null
