# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# eth0 default route metric 200, eth1 default route metric 100: eth1 must be chosen
NODE_IF=eth1 IP4=203.0.113.50 GW4=203.0.113.1 EXTRA_IP=192.0.2.50
lan() { nic eth0; nic eth1 lan1; lan_ip lan0 192.0.2.1/24; lan_ip lan1 203.0.113.1/24; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24,192.0.2.1\nroute-metric=200\n[ipv6]\nmethod=disabled'
  eth_profile eth1 <<< $'[ipv4]\nmethod=manual\naddress1=203.0.113.50/24,203.0.113.1\nroute-metric=100\n[ipv6]\nmethod=disabled'; }
