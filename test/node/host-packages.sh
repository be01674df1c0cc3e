#!/bin/bash
# Installs the Debian packages that give this machine the named commands; does nothing for those it has.
#   host-packages.sh COMMAND...      e.g. host-packages.sh mmdebstrap flock
set -euo pipefail
package_of() {
  case $1 in
    flock | nsenter | setpriv | taskset | unshare) echo util-linux ;;
    rpmbuild) echo rpm ;;
    *) echo "$1" ;;
  esac
}
missing=()
for name; do command -v "$name" > /dev/null || missing+=("$(package_of "$name")"); done
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$(id -u)" = 0 ] || { echo "host-packages: missing ${missing[*]}: run as root, or install them" >&2; exit 2; }
command -v apt-get > /dev/null || { echo "host-packages: missing ${missing[*]}: this is no Debian, install them by hand" >&2; exit 2; }
export DEBIAN_FRONTEND=noninteractive
options=(-o DPkg::Lock::Timeout=600 -o Acquire::Retries=5)
install() { apt-get "${options[@]}" install -y -q --no-install-recommends "${missing[@]}" < /dev/null; }
# package lists are fetched only when the ones at hand do not do
install || { apt-get "${options[@]}" update -q && install; }
