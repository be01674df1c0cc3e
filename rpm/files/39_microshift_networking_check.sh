#!/bin/sh
# greenboot: an image is good when the node's uplink came up. Nothing is checked where the unit is not enabled.
unit=microshift-ovs-init.service
systemctl --quiet is-enabled "$unit" || exit 0
# Waits for the run of this boot; does nothing when that has ended well already.
if ! systemctl start "$unit"; then
  echo "$unit failed: journalctl -b -u $unit, microshift-net status" >&2
  exit 1
fi
# The unit ended well at some time; what it made may be gone since.
if ! drift=$(microshift-net verify 2>&1); then
  echo "the node is not as it was made: $drift" >&2
  exit 1
fi
