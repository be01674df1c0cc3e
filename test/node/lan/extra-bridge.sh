# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# eth0 -> br-ex, eth1 -> br-ex1 (extra_bridge / externalGatewayInterface)
EXTRA_IP=203.0.113.50
lan() { nic eth0; nic eth1 lan1; lan_ip lan0 192.0.2.1/24; lan_ip lan1 203.0.113.1/24; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=manual\naddress1=192.0.2.50/24,192.0.2.1\n[ipv6]\nmethod=disabled'
  eth_profile eth1 <<< $'[ipv4]\nmethod=manual\naddress1=203.0.113.50/24\n[ipv6]\nmethod=disabled'
  mkdir -p /etc/ovnk; echo eth1 > /etc/ovnk/extra_bridge
  ovn_yaml <<< $'ovsInit:\n  externalGatewayInterface: eth1'; }
