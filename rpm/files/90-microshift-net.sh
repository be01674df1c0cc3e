#!/bin/sh
# Called by NetworkManager with an interface and what became of it (NetworkManager-dispatcher(8)). Looked at by the shell alone: this runs in the
# middle of every move of the uplink.

# Somebody configured the uplink anew in place, or took br-ex down: microshift-net-event.path hears of everything else.
ask_for_repair() {
  [ -s /run/microshift-net/uplinks ] || return 0
  case "$1" in
    br-ex | br-ex1) ;;
    *) grep -qs "\"bridge\":\"$1\"" /var/lib/microshift-net/bridges.json || [ "$(basename "$(readlink "/sys/class/net/$1/master")")" = ovs-system ] || return 0 ;;
  esac
  : > /run/microshift-net/repair-asked
}

# lo has the address of br-ex, too, where MicroShift is installed. Where a lease has become another address, or has ended, it must go from there:
# the node would answer for an address that another machine may have by then.
follow_lease() {
  [ "$1" = br-ex ] && ip -oneline address show dev lo scope global | grep -q inet || return 0
  ask_for_repair "$1"
}

# A router may come back from a power cut long after the node: microshift-ovs-init.service has given up by then. It is started once more when
# an address has come, if that is what the run says it missed.
start_late() {
  [ -e /run/microshift-net/network-missed ] || return 0
  unit=microshift-ovs-init.service
  systemctl is-failed --quiet "$unit" || return 0
  # Not again and again where br-ex gets no lease although the NIC does.
  tried=/run/microshift-net/network-came
  [ -z "$(find "$tried" -mmin -10 2> /dev/null)" ] || return 0
  : > "$tried"
  systemctl reset-failed "$unit"
  systemctl start --no-block "$unit"
}

case "$2" in
  down | reapply) ask_for_repair "$1" ;;
  up | dhcp4-change | dhcp6-change) start_late; follow_lease "$1" ;;
esac
exit 0
