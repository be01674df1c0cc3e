#!/bin/sh
# Runs OVN with databases of an older release, in the root that in-base.sh makes: newer-ovn.sh <folder>. <folder> contains ovnnb_db.db and
# ovnsb_db.db.
quiet="-vconsole:off -vsyslog:off --detach --no-chdir"
mkdir -p /run/ovn
for database in nb sb; do
  ovsdb-tool convert "$1/ovn${database}_db.db" /usr/share/ovn/ovn-$database.ovsschema
  # shellcheck disable=SC2086
  ovsdb-server "$1/ovn${database}_db.db" --remote=punix:/run/ovn/ovn${database}_db.sock --unixctl=/run/ovn/$database.ctl --pidfile=/run/ovn/$database.pid $quiet
done
# shellcheck disable=SC2086
ovn-northd --unixctl=/run/ovn/northd.ctl --pidfile=/run/ovn/northd.pid $quiet
ovn-nbctl --wait=sb sync
