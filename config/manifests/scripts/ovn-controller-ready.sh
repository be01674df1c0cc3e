#!/bin/bash
# Readiness probe: succeeds if ovn-controller is connected to the southbound database.
set -euo pipefail
[[ $(ovn-appctl --timeout=5 -t ovn-controller connection-status) == connected ]]
