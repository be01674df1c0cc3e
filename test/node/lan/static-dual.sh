# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# one NIC, manual IPv4 and manual IPv6, both with gateways
IP6=2001:db8::50 GW6=2001:db8::1
lan() { nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24,192.0.2.1\ndns=192.0.2.2;\n[ipv6]\nmethod=manual\naddress1=2001:db8::50/64,2001:db8::1\ndns=2001:db8::2;'; }
