# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# a fixed IPv4 address without a gateway; the router sends its first advertisement 15 s after the command starts
IP6=2001:db8::5054:ff:feaa:0 GW6=2001:db8::1 READY=1
lan() { nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64; [ "$BOOT" = 1 ] || router; }
router() { dhcp lan0 --enable-ra --dhcp-range=2001:db8::,ra-only,64 --ra-param=lan0,10,1800; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24\n[ipv6]\nmethod=auto\naddr-gen-mode=eui64'; }
before_cmd() { ( sleep 16; router ) & }
