#!/bin/bash
# Runs one OVN database: ovsdb.sh nb|sb. With OVN_DB_ADDRESS (tcp:<address>:<port>), the server also listens at that
# address.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh
db=$1

# Removes the files of the previous run. A client that connects to the socket of the previous server would read the
# contents of that time.
rm -f "/run/ovn/ovn${db}_db".{pid,sock,ctl}

listen=()
if [[ -n ${OVN_DB_ADDRESS:-} ]]; then
  address=${OVN_DB_ADDRESS#tcp:}
  listen=("--db-$db-create-insecure-remote=yes" "--db-$db-addr=${address%:*}" "--db-$db-port=${address##*:}")
fi

export OVN_DBDIR=/etc/ovn
exec /usr/share/ovn/scripts/ovn-ctl --no-monitor "${listen[@]}" "--ovn-$db-log=${console_log[*]}" "run_${db}_ovsdb"
