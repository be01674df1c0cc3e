#!/bin/sh
# Lets the bridges of microshift-net stay while NetworkManager is away. Called when NetworkManager is about to stop, and when it has ended in
# whatever way. Without this it deletes them, when it stops or when it starts again, with every port, flow and address that others put there.
#
# NetworkManager knows rows of Open vSwitch by NM.connection.uuid and leaves those without it alone (nm-ovsdb.c). It does not touch a device
# that its note of it calls unmanaged (/run/NetworkManager/devices). `microshift-net apply --repair` makes both NetworkManager's again. Only
# rows and notes with the UUIDs of our own profiles are changed.

# Not when the machine goes down: the next boot starts without bridges.
[ "$(systemctl is-system-running)" != stopping ] || exit 0

keep() { # bridge, UUIDs of the profiles of the bridge, its port, its interface
  read -r index 2> /dev/null < "/sys/class/net/$1/ifindex" || return 0
  key=external_ids
  # The first command fails, and with it the transaction, where the bridge does not say whose it is: one of an agent before 0.2 has the NIC as
  # a port of NetworkManager's, which would be taken out of it.
  ovs-vsctl --no-wait --timeout=3 \
    -- get Bridge "$1" $key:microshift-net.profile \
    -- --if-exists remove Bridge "$1" $key NM.connection.uuid="$2" \
    -- --if-exists remove Port "$1" $key NM.connection.uuid="$3" \
    -- --if-exists remove Interface "$1" $key NM.connection.uuid="$4" > /dev/null || return 0
  note=/run/NetworkManager/devices/$index
  if grep -qsx "connection-uuid=$4" "$note"; then
    sed -i -e 's/^managed=.*/managed=false/' -e '/^connection-uuid=/d' "$note"
  fi
}

keep br-ex ffe576ca-2ebf-58d8-864c-d6a2d3391194 f769b7b4-8b3c-5176-897a-55f4eb3978fb 88758c69-274c-52ae-9ad0-9d574bb5ca6b
keep br-ex1 9a01303a-397d-55be-b2e7-23d44ebb900e 1c28c6f6-6faa-54ba-a438-a2e09a5ba35f 8f7b1ca0-bda1-5a00-99ff-55896586dbfa
