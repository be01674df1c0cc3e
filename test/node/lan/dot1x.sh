# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154  # uses functions and variables of guest/lib.sh, which sources this file
# one NIC with DHCPv4 at a switch port that requires 802.1X (EAP-MD5) and forwards only frames of a MAC that has authenticated
# Needs guest/wired-supplicant.py in /testnode: see dot1x.ts.
DOT1X=/run/testnode/hostapd
lan() { nic eth0; lan_ip lan0 192.0.2.1/24; authenticator peth0; dhcp lan0 $(pool4); }
profiles() {
  python3 /testnode/wired-supplicant.py /usr/sbin/wpa_supplicant
  eth_profile eth0 <<< $'[802-1x]\neap=md5;\nidentity=node\npassword=squeamish-ossifrage\n[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled'
}

authenticator() { # authenticator PORT: starts hostapd for a port of a switch, with the log $DOT1X.log and the control socket in $DOT1X
  mkdir -p $DOT1X
  echo '"node" MD5 "squeamish-ossifrage"' > $DOT1X.users
  # hostapd sends to the group address like a switch, and does not repeat an authentication.
  printf '%s\n' interface=$1 driver=wired ctrl_interface=$DOT1X logger_stdout=-1 logger_stdout_level=0 logger_syslog=0 \
    ieee8021x=1 use_pae_group_addr=1 eap_server=1 eap_user_file=$DOT1X.users eap_reauth_period=0 > $DOT1X.conf
  # hostapd's wired driver blocks no host, so the kernel's bridge does: a locked port drops frames from every MAC without an entry.
  # hostapd still receives EAPOL frames, because a bridge passes link-local frames to the host and does not forward them.
  $LAN bridge link set dev $1 locked on learning off
  cat > $DOT1X.action << 'X'
#!/bin/sh
case $2 in
  AP-STA-CONNECTED) bridge fdb replace "$3" dev "$1" master static ;;
  AP-STA-DISCONNECTED) bridge fdb del "$3" dev "$1" master ;;
esac
X
  chmod +x $DOT1X.action
  # Both programs go into the background when they are ready, so that they miss no authentication.
  $LAN hostapd -B -t -f $DOT1X.log $DOT1X.conf
  $LAN hostapd_cli -B -p $DOT1X -i $1 -a $DOT1X.action
}
