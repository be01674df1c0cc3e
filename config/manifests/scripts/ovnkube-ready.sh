#!/bin/bash
# Readiness probe, called as `ovnkube-ready.sh [node]`: succeeds if ovnkube.sh has started ovnkube. With `node`, the CNI
# configuration has to exist as well, which ovnkube writes when the gateway of the node works and pods can be connected.
set -euo pipefail
if cat /tmp/not-started 2> /dev/null; then exit 1; fi
[[ ${1:-} != node || -f /etc/cni/net.d/10-ovn-kubernetes.conf ]]
