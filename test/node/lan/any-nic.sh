# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# eth0 with DHCP and a metric in its profile; eth1 with fixed addresses, a route, name servers and the better default route
EXTRA_IP=203.0.113.50
lan() { nic eth0; nic eth1 lan1; lan_ip lan0 192.0.2.1/24; lan_ip lan1 203.0.113.1/24; dhcp lan0 $(pool4)
  if [ -e /root/cable-out ]; then $LAN ip link set peth1 down; fi; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=auto\nroute-metric=150\n[ipv6]\nmethod=disabled'
  eth_profile eth1 <<< $'[ipv4]\nmethod=manual\naddress1=203.0.113.50/24,203.0.113.1\nroute1=198.51.100.0/24,203.0.113.254
dns=203.0.113.1;\ndns-search=second.example;\n[ipv6]\nmethod=disabled'; }
