#!/bin/bash
# Boots a second node inside of this node, with separate systemd, network, processes, /etc, /var and /run. Its NIC is connected to the LAN's switch;
# programs, the agent and the units are those of this node. Its disk remains until this node is switched off, so that it can boot again.
#   second-node.sh NAME ADDRESS [EDIT]     beside this node, whose address is 192.0.2.50; the program EDIT adapts the files of the new disk
set -eu
disk=/run/second-node
if [[ $1 != inside ]]; then
  # A power cut removes the whole network state of a machine.
  ip netns exec lan ip link delete "p$1" 2> /dev/null || true
  ip netns delete "$1" 2> /dev/null || true
  ip netns add "$1"
  ip link add eth0 netns "$1" address 52:54:00:aa:00:51 type veth peer name "p$1" netns lan
  ip netns exec lan ip link set "p$1" master lan0 up
  ip netns exec lan ethtool -K "p$1" tx off > /dev/null
  ip netns exec "$1" ethtool -K eth0 tx off > /dev/null
  exec nsenter "--net=/run/netns/$1" unshare -m -p -u -i -C -f --kill-child=KILL "$0" inside "$@"
fi
name=$2
address=$3
mount --make-rslave /
if [[ ! -e $disk ]]; then
  mkdir -m 755 "$disk"
  cp -a /etc /var /testnode "$disk"
  cd "$disk"
  # The second node does not have the changes that the first node made after its boot.
  rm -rf var/lib/{microshift-net,openvswitch,NetworkManager,ovn}/* var/log/{journal,ovn,openvswitch} etc/openvswitch/*
  echo "$name" > etc/hostname
  tr -d - < /proc/sys/kernel/random/uuid > etc/machine-id
  sed -i "s/192\.0\.2\.50/$address/" etc/NetworkManager/system-connections/eth0.nmconnection
  for unit in testnode-lan testnode-channel second-node; do ln -sfn /dev/null "etc/systemd/system/$unit.service"; done
  [[ -z ${4-} ]] || "$4" "$name" "$address"
fi

# Containers lay a file system over the node's root. The kernel allows only two such layers, so this root may not be a layer itself.
root=/mnt/root
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir "$root"
mount --bind / "$root"
for folder in etc var testnode; do mount --bind "$disk/$folder" "$root/$folder"; done
for folder in run tmp mnt; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
mount -t tmpfs -o mode=755 tmpfs "$root/root"
/testnode/kernel-folders.sh "$root"
cp -a /dev/{null,zero,full,random,urandom,console,net,ptmx} "$root/dev/"

hostname "$name"
cd /
# The node's pods must see later mounts, such as those of pods' network namespaces, so /run/netns is a mount point from
# the start. ip(8) would make it a mount point later, and older pods would not see its contents.
mkdir "$root/run/netns"
mount --bind "$root/run/netns" "$root/run/netns"
mount --make-rshared "$root"
# systemd reports the end of the boot to the process that has started it (systemd(1), $NOTIFY_SOCKET).
touch "$root/run/first-node"
mount --bind "$NOTIFY_SOCKET" "$root/run/first-node"
exec env -i container=testnode NOTIFY_SOCKET=/run/first-node PATH=/usr/sbin:/usr/bin TERM=linux chroot "$root" /lib/systemd/systemd systemd.log_target=journal
