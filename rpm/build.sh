#!/bin/bash
# Builds the package from a source tarball: rpm/out/microshift-net-VERSION-1.noarch.rpm. The same commit gives the same bytes.
#   rpm/build.sh [FOLDER]    needs dist/ (npm run build), rpmbuild and node; the packages go to FOLDER (rpm/out)
# With MICROSHIFT_VERSION it also builds microshift-networking-MICROSHIFT_VERSION-1.noarch.rpm, which replaces MicroShift's own package.
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "$0")/out}")
cd "$(dirname "$0")/.."
version=${AGENT_VERSION:-$(node -p 'require("./package.json").version')}
# Times in the package are those of the commit, or of package.json without a history.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2> /dev/null || stat -c %Y package.json)}"
export SOURCE_DATE_EPOCH
name=microshift-net-$version
# The folder is always the same, because rpmbuild writes its name into the source package. Other users may write beside it, so the script checks that
# it owns the folder before it opens any file.
place=/var/tmp/microshift-net-build
mkdir -m 0700 "$place" 2> /dev/null || true
if [ -L "$place" ] || [ ! -d "$place" ] || [ ! -O "$place" ]; then
  echo "$place is not a folder of $(id -un); remove it" >&2
  exit 1
fi
chmod 0700 "$place"
exec 9> "$place/lock"
flock -w 600 9
work=$place/work
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/rpm" "$work/SOURCES" "$out"

cp -r dist systemd config agent docs LICENSE README.md CHANGELOG.md package.json "$work/$name/"
cp -r rpm/files rpm/bundle.mjs rpm/licences.mjs rpm/microshift-net.spec "$work/$name/rpm/"
provides=$(node rpm/licences.mjs "$work/$name/rpm/licences")
find "$work/$name" -type d -exec chmod 0755 {} +
find "$work/$name" -type f -exec chmod u=rwX,go=rX {} +
tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -cf - "$name" |
  gzip -n -9 > "$work/SOURCES/$name.tar.gz"

{
  [ -z "${MICROSHIFT_VERSION:-}" ] || printf '%%global microshift_version %s\n' "$MICROSHIFT_VERSION"
  printf '%%global agent_version %s\n%%global bundled_provides %%{expand:\n%s\n}\n' "$version" "$provides"
  cat rpm/microshift-net.spec
} > "$work/microshift-net.spec"
touch -d "@$SOURCE_DATE_EPOCH" "$work/microshift-net.spec" "$work/SOURCES/$name.tar.gz"
options=()
# Debian's rpm would run brp-compress, a bash script, with sh.
[ ! -e /etc/debian_version ] || options+=(--define "__os_install_post bash /usr/lib/rpm/brp-compress")
rpmbuild --quiet -ba "$work/microshift-net.spec" \
  --define "_topdir $work" --define "_sourcedir $work/SOURCES" --define "_rpmdir $work/RPMS" --define "_srcrpmdir $work/SRPMS" \
  --define "_buildhost localhost" --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
  --define "source_date_epoch_from_changelog 0" --define "_binary_payload w9.gzdio" "${options[@]}" >&2
cp "$work"/RPMS/noarch/*.rpm "$work"/SRPMS/*.rpm "$out/"
for package in "$work"/RPMS/noarch/*.rpm; do echo "$out/$(basename "$package")"; done
