#!/bin/bash
# Ready when ovnkube.sh has started ovnkube: ovnkube-ready.sh [node]. A node's ovnkube also writes the CNI configuration, once the
# node's gateway works and pods can be plugged.
set -euo pipefail
if cat /tmp/not-started 2> /dev/null; then exit 1; fi
[[ ${1:-} != node || -f /etc/cni/net.d/10-ovn-kubernetes.conf ]]
