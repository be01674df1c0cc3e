#!/bin/sh
# Boots the node once, on the disk that keeper.sh holds. Runs in a pid and mount namespace of its own, whose end is the node's power cut.
#   boot.sh MEMORY KERNEL-ARGUMENT...       file descriptors: 1 console, 3 command channel, 4 interactive line
memory=$1; shift
mount -t proc proc /mnt/root/proc
export TMPDIR=/dev/shm
exec chroot /mnt/root /usr/local/bin/linux-uml "mem=$memory" seccomp=on rootfstype=hostfs rootflags=/ rw init=/lib/systemd/systemd \
  con=null con0=null,fd:1 ssl=null ssl0=fd:3 ssl1=fd:4 quiet loglevel=4 systemd.show_status=0 TERM=linux rt_group_sched=0 "$@"
