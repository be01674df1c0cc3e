#!/bin/sh
# Kept for programs that still call the script of this name; microshift-net does the work.
case "${1:-}" in
  OVNKubernetes) exec /usr/bin/microshift-net apply ;;
  OpenShiftSDN) exec /usr/bin/microshift-net disable ;;
esac
echo "configure-ovs.sh: \"${1:-}\" is not a network type; call it with OVNKubernetes (br-ex) or OpenShiftSDN (no br-ex)" >&2
exit 2
