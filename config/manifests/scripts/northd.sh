#!/bin/bash
# Runs ovn-northd. It finds the databases at their sockets below /run/ovn and waits for them by itself.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh

# Left by a container that was killed: with the host's process ids its number may belong to somebody else now.
rm -f /run/ovn/ovn-northd.pid

exec ovn-northd --no-chdir --pidfile=/run/ovn/ovn-northd.pid "${console_log[@]}"
