#!/bin/bash
# Lets programs of the test node's base run over a folder of this machine: in-base.sh <base> <folder> [SCRIPT]. The base's root, laid over
# <folder>/base/root and left as it is, sees <folder> at its own path; SCRIPT, for sh, runs in it with <folder> as its argument. Prints `ready` and then
# stays, until it is killed. To be run in a mount namespace of its own, and one of processes, if SCRIPT leaves any.
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
