# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# manual IPv4, three addresses, static routes (one with its own metric, table and on-link), a policy rule, DNS; IPv6 with two addresses
IP6=2001:db8::50 GW6=2001:db8::1
lan() { nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64 192.0.2.254/24; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24,192.0.2.1\naddress2=192.0.2.60/24\naddress3=10.9.8.7/32\nroute1=198.51.100.0/24,192.0.2.254,77\nroute2=203.0.113.0/24,192.0.2.254\nroute2_options=table=100\nroute3=10.77.0.0/16\nrouting-rule1=priority 30000 from 192.0.2.60 table 100\ndns=192.0.2.2;\n[ipv6]\nmethod=manual\naddress1=2001:db8::50/64,2001:db8::1\naddress2=2001:db8::60/64\nroute1=2001:db8:5::/48,2001:db8::2'; }
