#!/bin/bash
# Prepares a node on this machine's own kernel for MicroShift's kubelet, which changes settings of the whole machine and exits if it cannot. The
# node's files show these settings with the values that the kubelet wants, and an empty kernel log.
set -eu
mkdir -p /run/kubelet-kernel
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 \
  kernel/keys/root_maxbytes=25000000; do
  file=/run/kubelet-kernel/$(basename "${setting%=*}")
  [ ! -e "$file" ] || continue
  echo "${setting#*=}" > "$file"
  mount --bind "$file" "/proc/sys/${setting%=*}"
done
# /dev/kmsg is a device and not a link to /dev/null: units with ProtectKernelLogs= make /dev/kmsg inaccessible, and with
# a link they would make /dev/null inaccessible.
[ -e /dev/kmsg ] || mknod /dev/kmsg c 1 3
