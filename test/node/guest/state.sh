#!/bin/bash
# Prints the node's network state in sections, "@@ NAME" before each; ../state.ts reads it.
section() { echo "@@ $1"; }
files() { local f; for f; do [ ! -f "$f" ] || { section "file $f"; cat "$f"; echo; }; done; } # the added newline is taken off again
section addresses; ip -j addr
section links; ip -j -d link
section routes4; ip -j -4 route show table all
section routes6; ip -j -6 route show table all
section rules; echo "$(ip -j -4 rule)$(ip -j -6 rule)" | jq -sc add
for table in Open_vSwitch Bridge Port Interface; do
  section "ovs $table"; ovs-vsctl --timeout=5 --no-wait -f json list "$table" 2> /dev/null
done
section devices; nmcli -t -f DEVICE,TYPE,STATE,CONNECTION device 2> /dev/null
section profiles
nmcli -t -f NAME,UUID,TYPE,AUTOCONNECT,AUTOCONNECT-PRIORITY,ACTIVE,DEVICE,STATE,FILENAME connection show 2> /dev/null
mapfile -t uuids < <(nmcli -t -f UUID connection show 2> /dev/null)
for uuid in "${uuids[@]}"; do section "settings $uuid"; nmcli -t connection show uuid "$uuid"; done
shopt -s nullglob
files /{etc,run,usr/lib}/NetworkManager/system-connections/* /etc/ovnk/* /var/lib/ovnk/* /etc/microshift/* /run/microshift-net/* \
  /run/ovnk/* /etc/resolv.conf /run/configure-ovs-boot-done
exit 0
