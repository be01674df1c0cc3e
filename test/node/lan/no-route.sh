# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# one NIC without any address, so that no uplink can be chosen: the command must fail and change nothing
IP4='' GW4='' EXPECT=fail READY=3
lan() { nic eth0; br lan0; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=disabled\n[ipv6]\nmethod=disabled'; }
