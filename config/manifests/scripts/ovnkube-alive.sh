#!/bin/bash
# Liveness probe: fails if br-ex was created again after the start of ovnkube, because only a new ovnkube configures the
# new bridge completely. Succeeds if br-ex is missing or Open vSwitch does not answer, because a restart of ovnkube
# would not help, and the running ovnkube still serves pods.
set -euo pipefail
mine=$(cat /tmp/bridge 2> /dev/null) || exit 0
present=$(ovs-vsctl --timeout=10 --if-exists get Bridge br-ex _uuid 2> /dev/null) || exit 0
[[ -z $present || $present == "$mine" ]] || { echo 'br-ex was built again after ovnkube started'; exit 1; }
