# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# DHCPv4 + SLAAC (RA), EUI-64 addresses
IP6=2001:db8::5054:ff:feaa:0 GW6=2001:db8::1
lan() { nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64; dhcp lan0 $(pool4) --enable-ra --dhcp-range=2001:db8::,ra-only,64 --ra-param=lan0,10,1800; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=auto\n[ipv6]\nmethod=auto\naddr-gen-mode=eui64'; }
