# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# no stored profile: NetworkManager's generated in-memory profile "Wired connection 1" (DHCPv4)
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4); }
profiles() { :; }
