#!/bin/sh
# Keeps the bridges of microshift-net while NetworkManager is away. Called with `stop` when NetworkManager is about to stop, and with `start` before
# it starts, because one that was killed has had no stop. Without this NetworkManager deletes them, when it stops or when it starts again, with
# every port, flow and address that others put there.
#
# NetworkManager knows rows of Open vSwitch by NM.connection.uuid and leaves those without it alone (nm-ovsdb.c). It does not touch a device
# that its note of it calls unmanaged (/run/NetworkManager/devices). `microshift-net apply --repair` makes both NetworkManager's again. Only
# rows and notes with the UUIDs of our own profiles are changed. Profiles of `bridge add` say so themselves, and whose they are.

# Not when the machine goes down: the next boot starts without bridges.
[ "$(systemctl is-system-running)" != stopping ] || exit 0
when=$1
taps=no
keep() { # bridge, UUIDs of the profiles of the bridge, its port, its interface
  read -r index 2> /dev/null < "/sys/class/net/$1/ifindex" || return 0
  note=/run/NetworkManager/devices/$index
  # At the first start after a boot NetworkManager has no note, and what it finds of the time before is its own to remove. One that is killed while
  # a run makes the bridge has none either: what others had in the bridge before would go with it.
  [ "$when" = stop ] || grep -qsx "connection-uuid=$4" "$note" || runs || return 0
  key=external_ids
  # The first command fails, and with it the transaction, where the bridge does not say whose it is: one of an agent before 0.2 has the NIC as
  # a port of NetworkManager's, which would be taken out of it.
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

# Whether a run of microshift-net is in progress, or has died since the boot.
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

# The interface of a bridge with the userspace data path is a tap. While NetworkManager ends it takes every address, route and neighbour off that,
# those of other programs included, and disables IPv6 on it (1.58, nm-device.c, nm_device_cleanup; it lets go of the link of the kernel's data path
# before, nm-device-ovs-port.c, detach_port, but not of a tap). No setting prevents that, so it gets no time for it. What it would do besides is done
# by its next start, as after any crash.
[ "$when$taps" != stopyes ] || [ -z "${MAINPID:-}" ] || kill -KILL "$MAINPID"
