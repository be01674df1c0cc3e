#!/bin/sh
# greenboot: an image is good when the node's uplink came up. Nothing is checked where the unit is not enabled.
unit=microshift-ovs-init.service
systemctl --quiet is-enabled "$unit" || exit 0
# Waits for the run of this boot; does nothing when that has ended well already.
if ! systemctl start "$unit"; then
  echo "$unit failed: journalctl -b -u $unit, microshift-net status" >&2
  exit 1
fi
