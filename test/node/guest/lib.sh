# shellcheck shell=bash disable=SC2034,SC2086  # the scripts that source this file read the variables; $LAN is a command of several words
# Functions for LAN files (../lan/*.sh). A LAN file sets variables and defines lan() and profiles():
#   NODE_IF  default-route interface before the change     (eth0)
#   PHYS     interface that must end inside br-ex          (NODE_IF)
#   IP4 IP6  node addresses that must survive; the LAN pings them
#   EXTRA_IP more addresses to ping                        ()
#   GW4 GW6  gateway addresses (in the LAN namespace)
#   PING_MS  interval of the pings of each address; a ping costs the node half a millisecond of its CPU  (100)
#   EXPECT   outcome of `apply`: br-ex | fail | unchanged  (br-ex)
#   READY    seconds within which IP4 and IP6 must answer  (60)
#   lan()        builds the LAN: runs at every boot, before NetworkManager; $BOOT counts from 1
#   profiles()   writes NetworkManager keyfiles and node configuration: first boot only
#   ready()      optional: waits until the node is ready in another way than by answers of IP4 and IP6
#   before_cmd() optional: runs right before the first command
NODE_IF=eth0 IP4=192.0.2.50 IP6='' GW4=192.0.2.1 GW6='' EXPECT=br-ex READY=60 EXTRA_IP='' PHYS='' PING_MS=100
LAN="ip netns exec lan"
NMDIR=/etc/NetworkManager/system-connections

mac_of() { case $1 in eth*) printf '52:54:00:aa:00:%02x' "${1#eth}" ;; *) echo 52:54:00:aa:01:00 ;; esac; }

br() { # br NAME: a switch in the LAN namespace
  ip -n lan link show "$1" > /dev/null 2>&1 && return
  ip -n lan link add "$1" address "52:54:00:bb:00:0${1#lan}" type bridge stp_state 0 forward_delay 0 mcast_snooping 0
  $LAN sysctl -qw "net.ipv6.conf.$1.accept_dad=0" "net.ipv4.neigh.$1.retrans_time_ms=50" "net.ipv6.neigh.$1.retrans_time_ms=50"
  whole_checksums "$1" "$LAN"
  ip -n lan link set "$1" up
}
# whole_checksums DEVICE [COMMAND]: on this machine's own kernel (boot-here.sh makes the pipe), the userspace data path reads packets of veths from
# packet sockets, and a veth leaves the calculation of checksums to the other end
whole_checksums() { [ ! -p /run/to-node ] || ${2:-} ethtool -K "$1" tx off > /dev/null; }
nic() { # nic NAME [SWITCH|none]: a NIC of the node with a cable to SWITCH (lan0)
  ip link add "$1" address "$(mac_of "$1")" type veth peer name "p$1" netns lan
  whole_checksums "$1"
  whole_checksums "p$1" "$LAN"
  local master=()
  if [ "${2:-lan0}" != none ]; then br "${2:-lan0}"; master=(master "${2:-lan0}"); fi
  ip -n lan link set "p$1" "${master[@]}" up
}
lan_ip() { # lan_ip SWITCH ADDR/LEN...
  local b=$1 a; shift
  for a; do ip -n lan addr add "$a" dev "$b" nodad 2> /dev/null || ip -n lan addr add "$a" dev "$b"; done
}
lan_vlan() { # lan_vlan SWITCH ID: SWITCH.ID in the LAN namespace
  ip -n lan link add link "$1" name "$1.$2" type vlan id "$2"
  $LAN sysctl -qw "net.ipv6.conf.$1/$2.accept_dad=0" "net.ipv4.neigh.$1/$2.retrans_time_ms=50" "net.ipv6.neigh.$1/$2.retrans_time_ms=50"
  ip -n lan link set "$1.$2" up
}
dhcp() { # dhcp DEV [dnsmasq arguments...]: server for DHCP, and for router advertisements if the arguments enable them, on DEV
  local d=$1; shift
  setsid $LAN dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 --interface="$d" --bind-interfaces \
    --except-interface=lo --dhcp-authoritative --no-ping --dhcp-leasefile="/run/testnode/leases.$d" --log-dhcp \
    --log-facility="/run/testnode/dnsmasq.$d.log" --user=root "$@" < /dev/null > /dev/null 2>&1 &
}
pool4() { # arguments of dnsmasq for IPv4 leases; eth0 and eth1 have fixed leases by their MAC
  echo --dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,1h --dhcp-host="$(mac_of eth0)",192.0.2.50 \
    --dhcp-host="$(mac_of eth1)",192.0.2.51 --dhcp-option=option:router,192.0.2.1 \
    --dhcp-option=option:dns-server,192.0.2.1,192.0.2.2 --dhcp-option=option:domain-name,lan.example
}
keyfile() { # keyfile ID <<< contents: a stored NetworkManager profile
  cat > "$NMDIR/$1.nmconnection"; chmod 600 "$NMDIR/$1.nmconnection"
}
eth_profile() { # eth_profile IFACE [more keyfile lines on stdin]: an Ethernet profile named like the interface
  {
    printf '[connection]\nid=%s\nuuid=%s\ntype=ethernet\ninterface-name=%s\n' "$1" \
      "0000000${1#eth}-0000-4000-8000-00000000000${1#eth}" "$1"
    [ -t 0 ] || cat
  } | keyfile "$1"
}
ovn_yaml() { mkdir -p /etc/microshift; cat > /etc/microshift/ovn.yaml; }
lan_ok() { $LAN ping -n -q -c 1 -W 1 "$1" > /dev/null 2>&1; } # lan_ok ADDRESS: succeeds if the address answers a ping of the LAN
