#!/bin/bash
# Gives a node of test/overlay/guest.sh what a kubelet and containerd need: node.sh CONTROLLERS... Runs on the node, in control groups and a namespace
# of them of the node's own. Prints `ready` and then stays.
set -eu
mkdir -p /etc/{kubernetes,containerd,cni/net.d} /opt/cni/bin
# which containerd runs beside every other plugin
cp /opt/containerd/lib/cni/loopback /opt/cni/bin
# A kubelet sets what is the whole machine's; here it finds it so.
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
# runc wants links by one name where two are together
for controllers; do
  IFS=, read -ra names <<< "$controllers"
  for name in "${names[@]}"; do [ -e "/sys/fs/cgroup/$name" ] || ln -s "$controllers" "/sys/fs/cgroup/$name"; done
done
echo ready
exec sleep infinity
