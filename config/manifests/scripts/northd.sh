#!/bin/bash
# Runs ovn-northd, which looks for the sockets of the databases below /run/ovn and waits for the databases itself.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh

# Removes the pid file of a container that was killed. The pod uses the process ids of the host, so another process may
# have that id now.
rm -f /run/ovn/ovn-northd.pid

exec ovn-northd --no-chdir --pidfile=/run/ovn/ovn-northd.pid "${console_log[@]}"
