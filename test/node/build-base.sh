#!/bin/bash
# Builds the root file system of the test node, called the base, and prints its path. A finished base is used again; its folder has a hash of this
# script as its name, so a change of the script builds another base.
#
#   build-base.sh            build if needed, print the path
#   build-base.sh --path     print the path without building
#
# The base is Debian forky (the first release whose NetworkManager has the Open vSwitch plug-in) with the kernel User-Mode Linux of sid (older
# kernels panic on CPUs with AMX) and OVN of sid, which is unpacked and not installed, so that none of its units is enabled. The base does not
# change after the build: every node runs on a separate overlay.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${MICROSHIFT_NET_CACHE:-/var/cache/microshift-net}/testnode
base=$cache/$(sha256sum < "$here/build-base.sh" | cut -c 1-16)
if [ "${1:-}" = --path ] || [ -e "$base/etc/testnode-release" ]; then echo "$base"; exit 0; fi
say() { echo "build-base: $*" >&2; }

[ "$(id -u)" = 0 ] || { say "needs root: run it as root"; exit 2; }
"$here/host-packages.sh" mmdebstrap flock unshare >&2
mkdir -p "$cache"
exec 9> "$cache/build.lock"
flock -w 1800 9 || { say "waited 30 min for another builder (lock $cache/build.lock)"; exit 1; }
if [ -e "$base/etc/testnode-release" ]; then echo "$base"; exit 0; fi
rm -rf "$cache"/*.partial "$base"          # remains of a killed build; no other process builds while this script holds the lock
root=$base.partial

# prints the Debian mirror in the configuration of this machine's apt
# shellcheck disable=SC2016  # $(REPO_URI) is a placeholder of apt
mirror_of_apt() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1; }
mirror=$(mirror_of_apt || true)
if [ -z "$mirror" ]; then apt-get update -q >&2; mirror=$(mirror_of_apt || true); fi
[ -n "$mirror" ] || { say "apt on this machine has no Debian mirror set up"; exit 1; }

packages=(systemd systemd-sysv dbus udev kmod procps iproute2 iputils-ping iputils-arping
  network-manager network-manager-ovs network-manager-team libteam-utils openvswitch-switch nodejs
  openssh-server openssh-client dnsmasq-base tcpdump strace ethtool jq gawk netcat-openbsd ca-certificates rpm
  nftables iptables wpasupplicant hostapd python3-minimal python3-gi gir1.2-nm-1.0 man-db less bash-completion)
[ -z "${TESTNODE_EXTRA_PACKAGES:-}" ] || packages+=("$TESTNODE_EXTRA_PACKAGES")
# shellcheck disable=SC2016  # the shell of the hook expands the variables
kernel_hook='chroot "$1" sh -ec "apt-get -o Acquire::Check-Valid-Until=false update -q; cd /tmp;
  apt-get download user-mode-linux ovn-common ovn-central ovn-host; for package in ovn-*.deb; do dpkg -x \"\$package\" /; done;
  mkdir k; dpkg -x user-mode-linux_*.deb k; cp k/usr/bin/linux.uml /usr/local/bin/linux-uml; mkdir -p /usr/lib/modules;
  cp -a k/usr/lib/uml/modules/* /usr/lib/modules/; rm -rf /tmp/k /tmp/*.deb /etc/apt/sources.list.d/sid.list; apt-get clean"'
say "building $base (a minute or two)"
# The build has a separate mount namespace: if it is killed, it leaves no mounts, through which the removal of its files would reach other files.
unshare --mount mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Retries "5"' \
  --include="$(IFS=,; echo "${packages[*]}")" \
  --customize-hook="echo 'deb $mirror sid main' > \"\$1/etc/apt/sources.list.d/sid.list\"" \
  --customize-hook="$kernel_hook" forky "$root" "$mirror" >&2

# Writes a file of the base. It runs in chroot and replaces links, because an absolute link of the base would otherwise lead to a file of this machine.
# shellcheck disable=SC2016  # the inner shell expands the variables
put() { chroot "$root" sh -ec 'mkdir -p "${1%/*}"; rm -f "$1"; cat > "$1"' put "$1"; }
# shellcheck disable=SC2016
enable() { chroot "$root" sh -ec 'mkdir -p "$2"; ln -sf "../$1" "$2/$1"' enable "$1" "/etc/systemd/system/$2.wants"; }

# Unit with Red Hat's name, because Debian's alias with this name cannot be enabled, and with Fedora's dependencies.
put /etc/systemd/system/openvswitch.service <<'X'
[Unit]
Description=Open vSwitch (Fedora's name for Debian's units)
Before=network.target
After=network-pre.target ovsdb-server.service ovs-vswitchd.service
PartOf=network.target
Requires=ovsdb-server.service
Requires=ovs-vswitchd.service
[Service]
Type=oneshot
ExecStart=/bin/true
ExecStop=/bin/true
RemainAfterExit=yes
[Install]
WantedBy=multi-user.target
X
enable openvswitch.service multi-user.target

# NetworkManager as on RHEL, with keyfiles only and without systemd-resolved; it manages the veths that stand for NICs.
put /etc/NetworkManager/NetworkManager.conf <<'X'
[main]
plugins=keyfile
dns=default
X
put /etc/udev/rules.d/86-testnode.rules <<'X'
SUBSYSTEM=="net", ENV{ID_NET_DRIVER}=="veth", ENV{NM_UNMANAGED}="0"
X
# As on RHEL, bonds, teams and bridges have the MAC of their first port, and not a generated MAC.
put /etc/systemd/network/98-default-mac-none.link <<'X'
[Match]
Kind=bond team bridge
[Link]
NamePolicy=keep kernel database onboard slot path
MACAddressPolicy=none
X

put /etc/systemd/system/testnode-lan.service <<'X'
[Unit]
Description=test node: the LAN, the NICs and, on the first boot, the profiles
DefaultDependencies=no
After=systemd-udevd.service systemd-sysctl.service local-fs.target systemd-tmpfiles-setup.service
Before=NetworkManager.service network-pre.target ovsdb-server.service
Wants=network-pre.target
[Service]
Type=oneshot
RemainAfterExit=yes
KillMode=none
ExecStart=/bin/bash /testnode/net.sh
X
enable testnode-lan.service sysinit.target
put /etc/systemd/system/testnode-channel.service <<'X'
[Unit]
Description=test node: the command channel on the first serial line
DefaultDependencies=no
After=local-fs.target systemd-tmpfiles-setup.service
Before=shutdown.target
Conflicts=shutdown.target
[Service]
ExecStart=/bin/sh -c 'stty -F /dev/ttyS0 raw -echo -echoctl clocal && exec node /testnode/channel.mjs <>/dev/ttyS0 >&0'
Restart=always
RestartSec=100ms
KillMode=process
Delegate=yes
TasksMax=infinity
StandardError=journal
X
enable testnode-channel.service sysinit.target

# For a quick boot, no login, timer, device coldplug, socket or mount is started that the tests do not need; a test that needs ssh starts it.
masked=(getty.target apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer systemd-firstboot.service \
  systemd-networkd.socket systemd-networkd.service systemd-networkd-wait-online.service systemd-update-utmp.service \
  systemd-update-utmp-runlevel.service systemd-hwdb-update.service systemd-pcrphase.service e2scrub_reap.service \
  ldconfig.service systemd-journal-catalog-update.service systemd-udev-trigger.service systemd-udev-load-credentials.service \
  systemd-binfmt.service proc-sys-fs-binfmt_misc.automount modprobe@fuse.service modprobe@drm.service modprobe@efi_pstore.service \
  modprobe@configfs.service sys-fs-fuse-connections.mount sys-kernel-config.mount dev-hugepages.mount dev-mqueue.mount \
  systemd-sysusers.service systemd-update-done.service systemd-random-seed.service \
  kmod-static-nodes.service systemd-remount-fs.service systemd-modules-load.service systemd-user-sessions.service \
  systemd-logind.service systemd-tmpfiles-setup-dev-early.service systemd-tmpfiles-clean.timer systemd-sysext.socket \
  systemd-creds.socket systemd-factory-reset.socket systemd-mute-console.socket systemd-sysinstall.socket systemd-journalctl.socket \
  systemd-ask-password-console.path systemd-ask-password-wall.path uuidd.socket)
# shellcheck disable=SC2016  # the inner shell expands the variables
chroot "$root" sh -ec 'cd /etc/systemd/system; for unit; do ln -sfn /dev/null "$unit"; done
  rm -f ./*.wants/ssh.service ./*.wants/ssh.socket ./*.wants/sshd.service ./*.wants/nftables.service ./*.wants/wpa_supplicant.service
  # The generators are masked, because all of them would run at each boot and each daemon-reload without a result.
  mkdir -p /etc/systemd/system-generators; cd /usr/lib/systemd/system-generators; for one in *; do ln -s /dev/null /etc/systemd/system-generators/"$one"; done
  ' mask "${masked[@]}"
echo node | put /etc/hostname
echo "127.0.0.1 localhost node" | put /etc/hosts
put /etc/fstab < /dev/null
put /etc/resolv.conf < /dev/null
tr -d - < /proc/sys/kernel/random/uuid | put /etc/machine-id
mkdir -p "$root/testnode"
rm -rf "$root"/usr/share/{doc,man,locale}/* "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin
echo forky | put /etc/testnode-release
mv "$root" "$base"
say "done: $(du -sh "$base" | cut -f 1)"
echo "$base"
