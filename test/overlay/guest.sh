#!/bin/bash
# A node in separate mount and network namespaces: guest.sh <folder> <ovn> <dist> [FOLDER=PATH]... Its root file system
# is that of this machine with OVN's files laid over it, and with each FOLDER at its PATH; written files stay in
# <folder>. Prints `ready`, and then waits until it is killed.
# The caller has moved its standard error to descriptor 3.
exec 2>&3 3>&-
set -eu
folder=$1
ovn=$2
dist=$3
shift 3
mkdir -p "$folder"/{upper,root}
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder/upper"
mkdir -p "$folder"/upper/{work,files/usr/{bin,share}}
# OVN is copied, because no layer of an overlay may be inside of another one.
cp "$ovn"/usr/bin/* "$folder/upper/files/usr/bin"
cp -r "$ovn/usr/share/ovn" "$folder/upper/files/usr/share"
root=$folder/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper/files,workdir=$folder/upper/work" "$root"
mkdir -p "$root"/{proc,sys,dev,run,tmp,etc/microshift,etc/openvswitch,etc/ovn,var/lib,var/log/ovn,opt/program}
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
for place in run tmp var/lib var/log etc/openvswitch etc/ovn etc/microshift; do mount -t tmpfs -o mode=755 tmpfs "$root/$place"; done
mkdir -p "$root"/run/{ovn,openvswitch} "$root"/var/lib/{ovn,openvswitch} "$root"/var/log/{ovn,openvswitch}
for mounted in "$dist=/opt/program" "$@"; do
  mkdir -p "$root${mounted#*=}"
  mount --bind "${mounted%=*}" "$root${mounted#*=}"
done
ip link set lo up
# Changes the root of the whole mount namespace, and not only of this process, because a process that enters a container's namespace gets the
# namespace's root.
mkdir "$root/run/before"
cd "$root"
pivot_root . run/before
umount --lazy run/before
echo ready
exec sleep infinity
