#!/bin/bash
# Prepares a node of test/overlay/guest.sh for a kubelet and containerd: node.sh CONTROLLERS... Runs on the node, in separate control groups and a
# cgroup namespace. Prints `ready`, and then waits until it is killed.
set -eu
mkdir -p /etc/{kubernetes,containerd,cni/net.d} /opt/cni/bin
# containerd runs the plug-in `loopback` in addition to that of the overlay
cp /opt/containerd/lib/cni/loopback /opt/cni/bin
# A kubelet would set these values for the whole machine; in these mounts it finds the values that it wants.
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mkdir /run/sysctl
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 \
  kernel/keys/root_maxbytes=25000000; do
  file=/run/sysctl/$(basename "${setting%=*}")
  echo "${setting#*=}" > "$file"
  mount --bind "$file" "/proc/sys/${setting%=*}"
done
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
for controllers; do
  mkdir "/sys/fs/cgroup/$controllers"
  mount -t cgroup -o "$controllers" cgroup "/sys/fs/cgroup/$controllers"
done
# runc accepts only one name for controllers that are mounted together, so links have that name
for controllers; do
  IFS=, read -ra names <<< "$controllers"
  for name in "${names[@]}"; do [ -e "/sys/fs/cgroup/$name" ] || ln -s "$controllers" "/sys/fs/cgroup/$name"; done
done
echo ready
exec sleep infinity
