#!/bin/bash
# Runs ovn-controller. Log messages of the ACLs that implement network policies go to /var/log/ovn/acl-audit-log.log.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh

rm -f /run/ovn/ovn-controller.pid

exec ovn-controller unix:/run/openvswitch/db.sock --no-chdir --pidfile=/run/ovn/ovn-controller.pid \
  --syslog-method=null --log-file=/var/log/ovn/acl-audit-log.log \
  "${console_log[@]}" -vconsole:acl_log:off -vfile:acl_log:info
