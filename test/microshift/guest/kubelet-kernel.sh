#!/bin/bash
# Prepares a node that runs on another machine's kernel for MicroShift's kubelet, which sets what is the whole machine's and ends where it
# cannot: it finds these settings as it wants them. It also reads the kernel's log, and finds an empty one.
set -eu
mkdir -p /run/kubelet-kernel
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 \
  kernel/keys/root_maxbytes=25000000; do
  file=/run/kubelet-kernel/$(basename "${setting%=*}")
  [ ! -e "$file" ] || continue
  echo "${setting#*=}" > "$file"
  mount --bind "$file" "/proc/sys/${setting%=*}"
done
# A device of its own: units with ProtectKernelLogs= make /dev/kmsg inaccessible, and through a link it would be /dev/null.
[ -e /dev/kmsg ] || mknod /dev/kmsg c 1 3
