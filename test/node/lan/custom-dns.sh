# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# DHCPv4 with ignore-auto-dns, and with the profile's servers, search domain, options and priority; DHCP client-id and hostname; route-metric; zone;
# LLDP
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4); }
profiles() { { printf 'lldp=1\nzone=trusted\n'; cat; } <<< $'[ethernet]\nwake-on-lan=64\n[ethtool]\nfeature-gro=false\n[ipv4]\nmethod=auto\nignore-auto-dns=true\ndns=192.0.2.9;192.0.2.10;\ndns-search=one.example;two.example;\ndns-options=ndots:3;\ndns-priority=-5\ndhcp-client-id=01:52:54:00:aa:00:00\ndhcp-hostname=edge7\ndhcp-send-hostname=true\nroute1=198.51.100.0/24,192.0.2.254\n[ipv6]\nmethod=disabled' | eth_profile eth0; }
