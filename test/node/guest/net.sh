#!/bin/bash
# shellcheck disable=SC1091,SC2086  # files of the guest; $LAN is a command of several words
# Boot step before NetworkManager: builds the LAN, starts the pingers and, on the first boot, writes the profiles.
mkdir -p /run/testnode
exec >> /run/testnode/net.log 2>&1
set -x
. /testnode/lib.sh
read -r BOOT < /proc/cmdline
BOOT=${BOOT##*testnode.boot=}
BOOT=${BOOT%%[^0-9]*}
. /testnode/lan.sh
modprobe -a veth bridge 8021q openvswitch 2> /dev/null
ip netns add lan
ip -n lan link set lo up

lan
[ "$BOOT" != 1 ] || profiles
# Each pinger runs until the node ends, with the highest priority on the node's one CPU, so that a busy node does not seem unreachable.
for address in $IP4 $IP6 $EXTRA_IP; do
  setsid $LAN chrt -f 10 python3 /testnode/pinger.py "$address" "$PING_MS" < /dev/null > "/run/testnode/ping.$address.log" 2> /dev/null &
done
udevadm settle -t 5
exit 0
