# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# Open vSwitch is stopped when the command starts; the node's network must not change
EXPECT=unchanged
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4); }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled'; }
before_cmd() { systemctl stop ovsdb-server.socket openvswitch openvswitch-switch ovs-vswitchd ovsdb-server; }
