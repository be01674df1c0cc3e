# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# three NICs without profiles, for tests that write the profiles: eth0 and eth1 on a LAN with DHCPv4, RA and VLAN 100, eth2 on a LAN with DHCPv6
IP4='' EXTRA_IP='192.0.2.50 198.51.100.50 203.0.113.50'
lan() {
  nic eth0; nic eth1; nic eth2 lan1; lan_vlan lan0 100
  lan_ip lan0 192.0.2.1/24 2001:db8::1/64; lan_ip lan0.100 198.51.100.1/24; lan_ip lan1 203.0.113.1/24 2001:db8:1::1/64
  dhcp lan0 --dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,1h --dhcp-host=$(mac_of eth0),$(mac_of eth1),192.0.2.50 \
    --dhcp-option=option:router,192.0.2.1 --dhcp-option=option:dns-server,192.0.2.1 \
    --enable-ra --dhcp-range=2001:db8::,ra-only,64 --ra-param=lan0,10,1800
  dhcp lan0.100 --dhcp-range=198.51.100.100,198.51.100.199,255.255.255.0,1h --dhcp-host=$(mac_of eth0),$(mac_of eth1),198.51.100.50 \
    --dhcp-option=option:router,198.51.100.1 --dhcp-option=option:dns-server,198.51.100.1
  dhcp lan1 --dhcp-range=203.0.113.100,203.0.113.199,255.255.255.0,1h --dhcp-host=$(mac_of eth2),203.0.113.50 \
    --dhcp-option=option:router,203.0.113.1 --enable-ra --dhcp-range=2001:db8:1::100,2001:db8:1::1ff,64,1h --ra-param=lan1,10,1800
}
profiles() { mkdir -p /etc/NetworkManager/conf.d; printf '[main]\nno-auto-default=*\n' > /etc/NetworkManager/conf.d/no-auto-default.conf; }
# lacp MODE: bundles the switch's ports of eth0 and eth1; `lacp off` separates them
lacp() {
  local i
  $LAN ip link del lagg0 2> /dev/null
  [ "$1" = off ] || { $LAN modprobe bonding max_bonds=0; $LAN ip link add lagg0 type bond mode "$1" miimon 100 lacp_rate fast 2> /dev/null || $LAN ip link add lagg0 type bond mode "$1" miimon 100; }
  for i in 0 1; do
    $LAN ip link set peth$i nomaster
    if [ "$1" = off ]; then $LAN ip link set peth$i master lan0 up; else $LAN ip link set peth$i down; $LAN ip link set peth$i master lagg0; fi
  done
  [ "$1" = off ] || { $LAN ip link set lagg0 master lan0 up; for i in 0 1; do $LAN ip link set peth$i up; done; }
}
