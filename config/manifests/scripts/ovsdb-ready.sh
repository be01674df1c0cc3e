#!/bin/bash
# Ready when the database answers. Also has it give back memory after each compaction, which matters on small nodes.
set -euo pipefail
ovn-appctl --timeout=5 -t "/run/ovn/ovn$1_db.ctl" ovsdb-server/memory-trim-on-compaction on
ovn-appctl --timeout=5 -t "/run/ovn/ovn$1_db.ctl" ovsdb-server/list-dbs
