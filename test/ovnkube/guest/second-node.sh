#!/bin/bash
# Boots a second node inside of this one, with systemd, a network, processes, /etc, /var and /run of its own. Its NIC is cabled to the LAN's
# switch; programs, the agent and the units are those of this node. Ends when it is off.
#   second-node.sh NAME ADDRESS      beside this node, whose address is 192.0.2.50
set -eu
if [[ $1 != inside ]]; then
  ip netns add "$1"
  ip link add eth0 netns "$1" address 52:54:00:aa:00:51 type veth peer name "p$1" netns lan
  ip netns exec lan ip link set "p$1" master lan0 up
  ip netns exec lan ethtool -K "p$1" tx off > /dev/null
  exec nsenter "--net=/run/netns/$1" unshare -m -p -u -i -C -f --kill-child=KILL "$0" inside "$@"
fi
name=$2
address=$3
mount --make-rslave /
# Containers lay a file system over the node's root. The kernel allows two of them on each other, so this root may not be one more.
root=/mnt/root
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir "$root"
mount --bind / "$root"
for folder in etc var testnode; do
  mount -t tmpfs -o mode=755 tmpfs "$root/$folder"
  cp -a "/$folder/." "$root/$folder"
done
for folder in run tmp mnt; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
mount -t tmpfs -o mode=755 tmpfs "$root/root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
mount -o remount,bind,rw "$root/proc/sys/net"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
cp -a /dev/{null,zero,full,random,urandom,console,net,ptmx} "$root/dev/"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"

# What the first node has become since its own boot is not this one's.
cd "$root"
rm -rf var/lib/{microshift-net,openvswitch,NetworkManager,kubelet,ovn,ovnk}/* var/log/{journal,kubelet,ovn,openvswitch} etc/openvswitch/* \
  etc/cni var/lib/etcd
echo "$name" > etc/hostname
tr -d - < /proc/sys/kernel/random/uuid > etc/machine-id
sed -i "s/192\.0\.2\.50/$address/" etc/NetworkManager/system-connections/eth0.nmconnection
sed -i 's/localhost/192.0.2.50/' testnode/kube/admin.kubeconfig var/lib/microshift/resources/kubeadmin/kubeconfig
sed -i "s/kubelet.js .*/kubelet.js $name $address \/testnode\/kube 192.0.2.50:6443/" etc/systemd/system/kubelet.service
for unit in testnode-lan testnode-channel kube second-node; do ln -sfn /dev/null "etc/systemd/system/$unit.service"; done
hostname "$name"
cd /
# What is mounted later, as a pod's network namespace is, is to be seen in the pods of the node. ip(8) makes a mount of the folder where there is none,
# and would hide it from pods that are older.
mkdir "$root/run/netns"
mount --bind "$root/run/netns" "$root/run/netns"
mount --make-rshared "$root"
exec env -i container=testnode PATH=/usr/sbin:/usr/bin TERM=linux chroot "$root" /lib/systemd/systemd systemd.log_target=journal
