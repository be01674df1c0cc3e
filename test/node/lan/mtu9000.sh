# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# DHCPv4, NIC with MTU 9000 set in the profile
lan() { nic eth0; $LAN ip link set peth0 mtu 9000; $LAN ip link set lan0 mtu 9000; lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4); }
profiles() { eth_profile eth0 <<< $'[ethernet]\nmtu=9000\n[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled'; }
