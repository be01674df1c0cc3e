#!/bin/sh
# Health check of greenboot: an image is good if the node's uplink came up. A failed check rolls back the whole image, so only faults that disconnect
# the node fail it: the unit has failed, or br-ex has drift that cannot be repaired. Without a unit that is enabled nothing is checked.
unit=microshift-ovs-init.service
state=$(systemctl is-enabled "$unit" 2> /dev/null)
# MicroShift's own unit has no [Install] section; microshift.service starts it.
[ "$state" != static ] || state=$(systemctl is-enabled microshift.service 2> /dev/null)
case "$state" in enabled*) ;; *) exit 0 ;; esac
# Waits for the run of this boot; does nothing if that has succeeded.
if ! systemctl start "$unit"; then
  echo "$unit failed: journalctl -b -u $unit, microshift-net status" >&2
  exit 1
fi
# The unit has succeeded, but its result may have changed since.
if ! said=$(microshift-net apply --repair 2>&1); then
  echo "the node is not as it was made: $said" >&2
  exit 1
fi
