#!/bin/bash
# Becomes a container in a mount namespace that the caller has made: launch.sh CGROUP FOLDER [SOURCE TARGET ro|rw]... -- COMMAND...
# The image is the node's own root with a layer over it. /run and /tmp are empty for each container, as in an image; the other folders are mounted.
set -eu
echo $$ > "$1/cgroup.procs"
folder=$2
root=$folder/root
shift 2
mkdir -p "$root" "$folder/upper" "$folder/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
for name in proc sys dev; do mount --rbind "/$name" "$root/$name"; done
for name in run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$name"; done
while [[ $1 != -- ]]; do
  # Symbolic links in the target path, such as /var/run, are resolved inside of the container.
  target=$root$(chroot "$root" realpath -m "$2")
  if [[ -d $1 ]]; then mkdir -p "$target"; else mkdir -p "${target%/*}"; touch "$target"; fi
  mount --rbind "$1" "$target"
  if [[ $3 == ro ]]; then mount -o remount,bind,ro "$target"; fi
  shift 3
done
shift
exec chroot "$root" "$@"
