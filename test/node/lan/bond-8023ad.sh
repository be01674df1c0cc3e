# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# DHCPv4 on bond0 (802.3ad, LACP fast) of eth0+eth1
NODE_IF=bond0
lan() { nic eth0 none; nic eth1 none; br lan0; $LAN modprobe bonding max_bonds=0; $LAN ip link add lagg0 type bond mode 802.3ad miimon 100 lacp_rate fast; for i in 0 1; do $LAN ip link set peth$i down; $LAN ip link set peth$i master lagg0; done; $LAN ip link set lagg0 master lan0 up; for i in 0 1; do $LAN ip link set peth$i up; done
  lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4) --dhcp-host=$(mac_of eth0),$(mac_of eth1),192.0.2.50; }
pool4() { echo --dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,1h --dhcp-option=option:router,192.0.2.1 --dhcp-option=option:dns-server,192.0.2.1; }
profiles() {
  keyfile bond0 <<< $'[connection]\nid=bond0\nuuid=0000b000-0000-4000-8000-00000000b000\ntype=bond\ninterface-name=bond0\n[bond]\nmode=802.3ad\nmiimon=100\nlacp_rate=fast\n[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled'
  for i in 0 1; do keyfile bond0-port$i <<< $'[connection]\nid=bond0-port'$i$'\nuuid=0000b01'$i$'-0000-4000-8000-00000000b01'$i$'\ntype=ethernet\ninterface-name=eth'$i$'\nmaster=bond0\nslave-type=bond'; done; }
# LACP settles late: the node has to answer for 5 s without a gap
ready() { local i; for ((i = 0; i < 12; i++)); do if $LAN ping -n -q -c 25 -i 0.2 -W 1 $IP4 | grep -q ' 0% packet loss'; then break; fi; done; }
