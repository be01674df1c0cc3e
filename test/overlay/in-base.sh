#!/bin/bash
# Runs programs from the base of the test node with a folder of this machine: in-base.sh <base> <folder> [SCRIPT]. The
# base's root is mounted at <folder>/base/root with a writable layer, so the base does not change. In that root,
# <folder> has its own path, and sh runs SCRIPT with <folder> as the argument. Prints `ready`, and then waits until it
# is killed. The caller starts it in a separate mount namespace, and in a separate pid namespace if SCRIPT leaves
# processes.
set -eu
base=$1
folder=$2
script=${3-/dev/null}
mount --make-rprivate /
mkdir -p "$folder/base"
mount -t tmpfs tmpfs "$folder/base"
mkdir "$folder"/base/{upper,work,root}
root=$folder/base/root
mount -t overlay overlay -o "lowerdir=$base,upperdir=$folder/base/upper,workdir=$folder/base/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root$folder"
mount --bind "$folder" "$root$folder"
chroot "$root" sh -eu -s "$folder" < "$script"
echo ready
exec sleep infinity
