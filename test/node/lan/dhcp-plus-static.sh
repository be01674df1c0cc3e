# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# DHCPv4 together with a static address and a static route, which NetworkManager allows with method=auto
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4); }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=auto\naddress1=192.0.2.70/24\nroute1=198.51.100.0/24,192.0.2.254\n[ipv6]\nmethod=disabled'; }
