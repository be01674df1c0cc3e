# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# default route on VLAN eth0.100 with DHCPv4
NODE_IF=eth0.100
lan() { nic eth0; br lan0; lan_vlan lan0 100; lan_ip lan0.100 192.0.2.1/24; dhcp lan0.100 $(pool4); }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=disabled\n[ipv6]\nmethod=disabled'
  keyfile vlan100 <<< $'[connection]\nid=vlan100\nuuid=00000100-0000-4000-8000-000000000100\ntype=vlan\ninterface-name=eth0.100\n[vlan]\nid=100\nparent=eth0\n[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled'; }
