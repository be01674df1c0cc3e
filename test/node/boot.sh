#!/bin/sh
# Boots the node once, on the disk that keeper.sh holds. Runs in a pid and mount namespace of its own, whose end is the node's power cut.
#   boot.sh MEMORY KERNEL-ARGUMENT...       file descriptors: 1 console, 3 command channel, 4 interactive line
memory=$1; shift
mount -t proc proc /mnt/root/proc
export TMPDIR=/dev/shm
# The last three kernel arguments save time: without them, raid6_init would compute for 0.8 s, the kernel would create
# 512 devices for old pseudo-terminals, and systemd would wait half a second for the answer of a terminal.
exec chroot /mnt/root /usr/local/bin/linux-uml "mem=$memory" seccomp=on rootfstype=hostfs rootflags=/ rw init=/lib/systemd/systemd \
  con=null con0=null,fd:1 ssl=null ssl0=fd:3 ssl1=fd:4 quiet loglevel=4 systemd.show_status=0 rt_group_sched=0 \
  initcall_blacklist=raid6_init pty.legacy_count=0 TERM=dumb "$@"
