#!/bin/sh
# Dispatcher script: NetworkManager calls it with an interface and an action (NetworkManager-dispatcher(8)). It uses the shell and small programs
# only, because it runs during every move of the uplink.

# Requests a repair after a reapply of the uplink or a deactivation of br-ex; microshift-net-event.path reports all other events.
ask_for_repair() {
  [ -s /run/microshift-net/uplinks ] || return 0
  case "$1" in
    br-ex | br-ex1) ;;
    *) grep -qs "\"bridge\":\"$1\"" /var/lib/microshift-net/bridges.json || [ "$(basename "$(readlink "/sys/class/net/$1/master")")" = ovs-system ] || return 0 ;;
  esac
  : > /run/microshift-net/repair-asked
}

# Starts microshift-ovs-init.service again when an address arrives, if the service has failed because no address was
# there. A router may boot long after the node when a power cut ends, and the service has failed by then.
start_late() {
  [ -e /run/microshift-net/network-missed ] || return 0
  unit=microshift-ovs-init.service
  systemctl is-failed --quiet "$unit" || return 0
  # Limits the starts for a br-ex that gets no lease although the NIC does.
  tried=/run/microshift-net/network-came
  [ -z "$(find "$tried" -mmin -10 2> /dev/null)" ] || return 0
  : > "$tried"
  systemctl reset-failed "$unit"
  systemctl start --no-block "$unit"
}

case "$2" in
  down | reapply) ask_for_repair "$1" ;;
  up | dhcp4-change | dhcp6-change) start_late ;;
esac
exit 0
