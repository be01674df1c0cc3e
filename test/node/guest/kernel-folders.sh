#!/bin/bash
# Gives a node on this machine's own kernel the kernel's folders: kernel-folders.sh ROOT. In /proc/sys the node can change only the network.
set -eu
root=$1
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
mount -o remount,bind,rw "$root/proc/sys/net"
# Each boot of the node has a separate boot id, by which systemd and the agent distinguish boots.
cat /proc/sys/kernel/random/uuid > "$root/testnode/boot-id"
mount --bind "$root/testnode/boot-id" "$root/proc/sys/kernel/random/boot_id"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
