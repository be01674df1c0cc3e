#!/bin/bash
# Readiness probe: succeeds if the database answers. Also makes the server return memory to the system after each
# compaction, which matters on small nodes.
set -euo pipefail
ovn-appctl --timeout=5 -t "/run/ovn/ovn$1_db.ctl" ovsdb-server/memory-trim-on-compaction on
ovn-appctl --timeout=5 -t "/run/ovn/ovn$1_db.ctl" ovsdb-server/list-dbs
