#!/bin/sh
# Called by NetworkManager with an interface and what became of it (NetworkManager-dispatcher(8)). A router may come back from a power cut long
# after the node: microshift-ovs-init.service has given up by then. It is started once more when an address has come.
case "$2" in
  up | dhcp4-change | dhcp6-change) ;;
  *) exit 0 ;;
esac
# Nothing else is mended by an address. Looked at first, and by the shell alone: this runs in the middle of every move of the uplink.
read -r status 2> /dev/null < /run/microshift-net/status.json || exit 0
case "$status" in
  *'"kind":"no-uplink"'* | *'"kind":"activation-timeout"'*) ;;
  *) exit 0 ;;
esac
unit=microshift-ovs-init.service
systemctl is-failed --quiet "$unit" || exit 0
# Not again and again where br-ex gets no lease although the NIC does.
tried=/run/microshift-net/network-came
[ -z "$(find "$tried" -mmin -10 2> /dev/null)" ] || exit 0
: > "$tried"
systemctl reset-failed "$unit"
exec systemctl start --no-block "$unit"
