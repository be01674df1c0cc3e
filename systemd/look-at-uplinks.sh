#!/bin/sh
# Requests a repair of br-ex if its uplink is missing, or if its ports, addresses or routes differ from those of the
# last check. The script has to be quick, because microshift-net-uplink.service calls it for every change of Open
# vSwitch's database and of an address. It therefore uses only a shell, and queries to the database and the kernel.

# Reads the notifications of microshift-net-uplink.socket, which systemd passes as file descriptor 3 (sd_listen_fds(3)); a later one starts another check.
[ "${LISTEN_FDS:-0}" = 0 ] || cat <&3 > /dev/null 2>&1
[ -s /run/microshift-net/uplinks ] || exit 0

# Returns 0 if the state of a bridge is that of the last check; otherwise stores the state and returns 1. Tentative
# addresses are left out, as in a repair. The kernel also announces the end of duplicate address detection, which starts
# another check.
is_as_before() {
  seen=/run/microshift-net/seen-$1
  now=$(
    ovs-vsctl --timeout=5 list-ports "$1"
    ip -br address show dev "$1" -tentative
    ip route show dev "$1"
  )
  [ "$now" != "$(cat "$seen" 2> /dev/null)" ] || return 0
  echo "$now" > "$seen"
  return 1
}

asks=
while read -r nic; do
  [ -e "/sys/class/net/$nic" ] || continue
  bridge=$(ovs-vsctl --timeout=5 port-to-br "$nic" 2> /dev/null) || {
    asks=1
    break
  }
  is_as_before "$bridge" || asks=1
done < /run/microshift-net/uplinks
[ -z "$asks" ] || : > /run/microshift-net/repair-asked
