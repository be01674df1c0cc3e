#!/bin/sh
# Keeps the bridges of microshift-net while NetworkManager is not running. NetworkManager.service calls the script with `stop` before NetworkManager stops,
# and with `start` before it starts, because systemd skips the first call if NetworkManager was killed. Without this script NetworkManager deletes the bridges
# when it stops or starts again, with every port, flow and address that other programs have added.
#
# NetworkManager identifies its rows of Open vSwitch by NM.connection.uuid and ignores rows without it (nm-ovsdb.c). It does not touch a device
# whose state file says unmanaged (/run/NetworkManager/devices). `microshift-net apply --repair` makes NetworkManager manage rows and devices again. Only rows
# and state files with the UUIDs of profiles of this product are changed; profiles of `bridge add` are marked as such.

# A shutdown needs no bridges, and neither does the next boot.
[ "$(systemctl is-system-running)" != stopping ] || exit 0
when=$1
taps=no
keep() { # bridge, UUIDs of the profiles of the bridge, its port, its interface
  read -r index 2> /dev/null < "/sys/class/net/$1/ifindex" || return 0
  note=/run/NetworkManager/devices/$index
  # At the first start after a boot NetworkManager has no state file, and may remove the remains of the previous boot. A
  # NetworkManager that is killed while a run creates the bridge has no state file either, but in that case the ports of
  # other programs would be lost with the bridge.
  [ "$when" = stop ] || grep -qsx "connection-uuid=$4" "$note" || runs || return 0
  key=external_ids
  # The command `get` makes the whole transaction fail if the bridge does not name its profile. The NIC in such a bridge
  # (of an agent before 0.2) is a port of NetworkManager, which would remove the NIC from a bridge that stays.
  ovs-vsctl --no-wait --timeout=3 \
    -- get Bridge "$1" $key:microshift-net.profile \
    -- --if-exists remove Bridge "$1" $key NM.connection.uuid="$2" \
    -- --if-exists remove Port "$1" $key NM.connection.uuid="$3" \
    -- --if-exists remove Interface "$1" $key NM.connection.uuid="$4" > /dev/null || return 0
  if grep -qsx "connection-uuid=$4" "$note"; then
    sed -i -e 's/^managed=.*/managed=false/' -e '/^connection-uuid=/d' "$note"
  fi
  [ ! -e "/sys/class/net/$1/tun_flags" ] || taps=yes
}

# Returns 0 if a run of microshift-net is in progress, or has crashed since the boot.
runs() {
  for lock in /run/microshift-net/lock/*; do [ ! -e "$lock" ] || return 0; done
  return 1
}

keep br-ex ffe576ca-2ebf-58d8-864c-d6a2d3391194 f769b7b4-8b3c-5176-897a-55f4eb3978fb 88758c69-274c-52ae-9ad0-9d574bb5ca6b
keep br-ex1 9a01303a-397d-55be-b2e7-23d44ebb900e 1c28c6f6-6faa-54ba-a438-a2e09a5ba35f 8f7b1ca0-bda1-5a00-99ff-55896586dbfa

profiles=/run/NetworkManager/system-connections
uuid() { sed -n 's/^uuid=//p' "$profiles/$1.nmconnection"; }

for profile in "$profiles"/ovs-if-*.nmconnection; do
  bridge=${profile##*/ovs-if-}
  bridge=${bridge%.nmconnection}
  case $bridge in br-ex | br-ex1) continue ;; esac
  grep -qs '^microshift-net\.source-profile=' "$profile" || continue
  keep "$bridge" "$(uuid "$bridge")" "$(uuid "ovs-port-$bridge")" "$(uuid "ovs-if-$bridge")"
done

# The interface of a bridge with the userspace data path is a tap. When NetworkManager exits, it removes every address,
# route and neighbour of a tap, including those of other programs, and disables IPv6 on it (1.58, nm-device.c,
# nm_device_cleanup). With the kernel's data path, NetworkManager releases the link before this cleanup
# (nm-device-ovs-port.c, detach_port). No setting prevents the cleanup of a tap, so NetworkManager is killed. Its next
# start does the rest of its work, as after any crash.
[ "$when$taps" != stopyes ] || [ -z "${MAINPID:-}" ] || kill -KILL "$MAINPID"
