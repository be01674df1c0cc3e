#!/bin/bash
# Runs a command on the node that second-node.service has booted: on-second.sh COMMAND...
set -eu
unshare=$(systemctl show --property=MainPID --value second-node)
exec nsenter -t "$(pgrep -o -P "$unshare")" -m -u -i -n -p -C -r --wdns=/ "$@"
