# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# one NIC, manual IPv4 with gateway, DNS and search domain
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24,192.0.2.1\ndns=192.0.2.2;192.0.2.3;\ndns-search=corp.example;\n[ipv6]\nmethod=disabled'; }
