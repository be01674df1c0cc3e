# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# ovsdb-server runs and ovs-vswitchd is stopped, so that no bridge can become active
EXPECT=unchanged
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; dhcp lan0 $(pool4); }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled'; }
before_cmd() { systemctl stop openvswitch-switch ovs-vswitchd; }
