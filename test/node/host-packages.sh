#!/bin/bash
# Installs the Debian packages of the named commands; does nothing for commands that this machine has.
# Services of these packages (etcd, Open vSwitch) are neither started nor enabled, because the tests need only the programs.
#   host-packages.sh COMMAND...      e.g. host-packages.sh mmdebstrap flock
set -euo pipefail
package_of() {
  case $1 in
    createrepo_c) echo createrepo-c ;;
    etcd) echo etcd-server ;;
    flock | nsenter | setpriv | taskset | unshare) echo util-linux ;;
    firewall-cmd) echo firewalld ;;
    go) echo golang-go ;;
    man) echo man-db ;;
    mke2fs) echo e2fsprogs ;;
    nft) echo nftables ;;
    pidwait) echo procps ;;
    ovsdb-server) echo openvswitch-switch ;;
    rpmbuild) echo rpm ;;
    *) echo "$1" ;;
  esac
}
missing=()
for name; do command -v "$name" > /dev/null || missing+=("$(package_of "$name")"); done
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$(id -u)" = 0 ] || { echo "host-packages: missing ${missing[*]}: run as root, or install them" >&2; exit 2; }
command -v apt-get > /dev/null || { echo "host-packages: missing ${missing[*]}: this system is not Debian, install them by hand" >&2; exit 2; }
export DEBIAN_FRONTEND=noninteractive
options=(-o DPkg::Lock::Timeout=600 -o Acquire::Retries=5)

# With policy-rc.d, Debian's packages start no service; an existing file keeps its effect.
policy=/usr/sbin/policy-rc.d
if ! [ -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
fi
install() { apt-get "${options[@]}" install -y -q --no-install-recommends "${missing[@]}" < /dev/null; }
# package lists are fetched only if the existing lists are not sufficient
install || { apt-get "${options[@]}" update -q && install; }
# the services do not start at the next boot either
for package in "${missing[@]}"; do
  dpkg -L "$package" | sed -n 's|.*/systemd/system/\([^/]*\.service\)$|\1|p' | while read -r unit; do
    systemctl disable "$unit" > /dev/null 2>&1 || true
  done
done
