#!/bin/bash
# Alive unless br-ex is another bridge than the one ovnkube has set up: then only a new ovnkube makes all of it again. Where there is no br-ex, or
# Open vSwitch does not answer, a new one could do no more, and pods are served meanwhile.
set -euo pipefail
mine=$(cat /tmp/bridge 2> /dev/null) || exit 0
present=$(ovs-vsctl --timeout=10 --if-exists get Bridge br-ex _uuid 2> /dev/null) || exit 0
[[ -z $present || $present == "$mine" ]] || { echo 'br-ex was built anew since ovnkube started'; exit 1; }
