#!/bin/bash
# The OVN of the test node's base over databases of an older release: newer-ovn.sh <base> <folder>. In <folder> are ovnnb_db.db and ovnsb_db.db.
# Its root, <folder>/newer/root, is laid over the base, which stays as it is. Prints `ready` and then stays, until it is killed. To be run in mount and
# pid namespaces of its own.
set -eu
base=$1
folder=$2
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"/newer
mkdir "$folder"/newer/{upper,work,root}
root=$folder/newer/root
mount -t overlay overlay -o "lowerdir=$base,upperdir=$folder/newer/upper,workdir=$folder/newer/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root/run/ovn"
cp "$folder"/*.db "$root/tmp"
chroot "$root" sh -eu <<'X'
quiet="-vconsole:off -vsyslog:off --detach --no-chdir"
for database in nb sb; do
  ovsdb-tool convert /tmp/ovn${database}_db.db /usr/share/ovn/ovn-$database.ovsschema
  # shellcheck disable=SC2086
  ovsdb-server /tmp/ovn${database}_db.db --remote=punix:/run/ovn/ovn${database}_db.sock --unixctl=/run/ovn/$database.ctl --pidfile=/run/ovn/$database.pid $quiet
done
# shellcheck disable=SC2086
ovn-northd --unixctl=/run/ovn/northd.ctl --pidfile=/run/ovn/northd.pid $quiet
ovn-nbctl --wait=sb sync
X
echo ready
exec sleep infinity
