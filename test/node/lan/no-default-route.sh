# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# one NIC, manual IPv4 with the connected route only (no gateway)
GW4=192.0.2.1
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24\n[ipv6]\nmethod=disabled'; }
