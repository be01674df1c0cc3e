# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# manual IPv6 only, IPv4 disabled
IP4='' GW4='' IP6=2001:db8::50 GW6=2001:db8::1
lan() { nic eth0; lan_ip lan0 2001:db8::1/64; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=disabled\n[ipv6]\nmethod=manual\naddress1=2001:db8::50/64,2001:db8::1'; }
