#!/bin/bash
# Leaves a node in the state in which configure-ovs.sh leaves it after a run: profiles with the script's names and UUIDs that nmcli made, clones of a
# bond's ports, hint files, and the script's marker. Only the result is the same as the script's. PLACE=run leaves the profiles in /run, like the
# script's later versions. DATA_PATH=netdev gives the bridges the userspace data path, which the script never does.
set -euo pipefail
PLACE=${PLACE:-etc}
save=yes
[ "$PLACE" = etc ] || save=no

get() { nmcli -g "$2" connection show "$1"; }
add() { nmcli connection add save "$save" connection.autoconnect no "$@" > /dev/null; }
profile_of() { nmcli -g GENERAL.CON-UUID device show "$1"; }

# Activates a profile. Like the script, it tries ten times, because a port's activation ends when its controller restarts.
up() {
  local attempt
  for attempt in 1 2 3 4 5; do
    nmcli connection up "$1" > /dev/null && return
    sleep "$attempt"
  done
  return 1
}

# bridge NIC BRIDGE NUMBER METRIC: the NIC becomes the uplink of the bridge.
bridge() {
  local nic=$1 bridge=$2 number=$3 metric=$4 old mac mtu type device=() address=() ports=() port key value
  old=$(profile_of "$nic") mac=$(cat "/sys/class/net/$nic/address") mtu=$(cat "/sys/class/net/$nic/mtu")
  add type ovs-bridge con-name "$bridge" connection.interface-name "$bridge" 802-3-ethernet.mtu "$mtu" \
    ${DATA_PATH:+ovs-bridge.datapath-type "$DATA_PATH"}
  add type ovs-port con-name "ovs-port-phys$number" connection.interface-name "$nic" master "$bridge"
  add type ovs-port con-name "ovs-port-$bridge" connection.interface-name "$bridge" master "$bridge"
  type=$(get "$old" connection.type)
  case $type in
    vlan) device=(dev "$(get "$old" vlan.parent)" id "$(get "$old" vlan.id)") ;;
    bond) device=(bond.options "$(get "$old" bond.options)" 802-3-ethernet.cloned-mac-address "$mac") ;;
    *) device=(802-3-ethernet.cloned-mac-address "$mac") ;;
  esac
  add type "$type" con-name "ovs-if-phys$number" connection.interface-name "$nic" master "ovs-port-phys$number" \
    connection.autoconnect-priority 100 802-3-ethernet.mtu "$mtu" "${device[@]}"
  # Methods, fixed addresses and the few settings that the script knows; all other settings of the NIC's profile are lost.
  for key in ipv4.method ipv4.addresses ipv4.gateway ipv4.dns ipv4.dns-search ipv6.method ipv6.addresses ipv6.gateway ipv6.addr-gen-mode; do
    value=$(nmcli -e no -g "$key" connection show "$old")
    [ -z "$value" ] || address+=("$key" "$value")
  done
  add type ovs-interface slave-type ovs-port con-name "ovs-if-$bridge" connection.interface-name "$bridge" \
    master "$(get "ovs-port-$bridge" connection.uuid)" 802-3-ethernet.mtu "$mtu" 802-3-ethernet.cloned-mac-address "$mac" \
    ipv4.route-metric "$metric" ipv6.route-metric "$metric" "${address[@]}"
  for port in $(ports_of "$nic" "$old"); do
    local clone
    clone="$(get "$port" connection.id)-slave-ovs-clone"
    nmcli connection clone "$port" "$clone" > /dev/null
    [ "$save" = yes ] || nmcli connection modify --temporary "$clone" connection.autoconnect no
    nmcli connection modify "$clone" connection.master "$(get "ovs-if-phys$number" connection.uuid)" \
      connection.autoconnect-priority 100 connection.autoconnect no
    ports+=("$clone")
  done
  up "ovs-port-$bridge"
  up "ovs-port-phys$number"
  # A bond becomes active when it has a port, and a port's activation needs a controller that is being activated.
  nmcli --wait "$([ "$type" = bond ] && echo 0 || echo 60)" connection up "ovs-if-phys$number" > /dev/null
  for port in "${ports[@]}"; do up "$port"; done
  up "ovs-if-$bridge"
  for port in "$bridge" "ovs-port-$bridge" "ovs-port-phys$number" "ovs-if-phys$number" "ovs-if-$bridge" "${ports[@]}"; do
    if [ "$save" = yes ]; then nmcli connection modify "$port" connection.autoconnect yes
    else nmcli connection modify --temporary "$port" connection.autoconnect yes; fi
  done
}

# ports_of NIC UUID: profiles of a bond's ports, which name their controller by interface or by UUID.
ports_of() {
  local uuid master
  for uuid in $(nmcli -g UUID connection show --active); do
    master=$(get "$uuid" connection.master)
    if [ "$master" = "$1" ] || [ "$master" = "$2" ]; then echo "$uuid"; fi
  done
}

extra=$(cat /etc/ovnk/extra_bridge 2> /dev/null || true)
nic=$(ip -json route show default | jq -r '.[0].dev')
bridge "$nic" br-ex 0 48
[ -z "$extra" ] || bridge "$extra" br-ex1 1 49
mkdir -p /var/lib/ovnk
echo "$nic" > /var/lib/ovnk/iface_default_hint
touch /run/configure-ovs-boot-done
