#!/bin/sh
# greenboot: an image is good when the node's uplink came up. Red rolls the whole image back, so it is said only of what costs the node its
# network: the unit has failed, or br-ex is not as it was made and cannot be mended. Nothing is checked where nothing starts the unit.
unit=microshift-ovs-init.service
state=$(systemctl is-enabled "$unit" 2> /dev/null)
# MicroShift's own unit has no [Install]; microshift.service starts it.
[ "$state" != static ] || state=$(systemctl is-enabled microshift.service 2> /dev/null)
case "$state" in enabled*) ;; *) exit 0 ;; esac
# Waits for the run of this boot; does nothing when that has ended well already.
if ! systemctl start "$unit"; then
  echo "$unit failed: journalctl -b -u $unit, microshift-net status" >&2
  exit 1
fi
# The unit ended well at some time; what it made may be gone since.
if ! said=$(microshift-net apply --repair 2>&1); then
  echo "the node is not as it was made: $said" >&2
  exit 1
fi
