#!/bin/bash
# Prints the node's network state in sections with "@@ NAME" before each; ../parse-state.ts reads it. Starts of processes are slow on this kernel, so
# each program answers as many questions as it can.
#   state.sh whole|brief      brief: without routing rules and the settings of profiles
section() { echo "@@ $1"; }
files() {
  local file
  for file; do
    [ -f "$file" ] || continue
    section "file $file"
    mapfile -d '' -n 1 -t text < "$file"
    printf '%s\n' "${text[0]}" # the parser removes the added newline
  done
}
links=$(ip -j -d addr)
section addresses; echo "$links"
section links; echo "$links"
section routes4; ip -j -4 route show table all
section routes6; ip -j -6 route show table all
if [ "$1" = whole ]; then
  section rules4; ip -j -4 rule
  section rules6; ip -j -6 rule
fi
section ovs
ovs-vsctl --timeout=5 --no-wait -f json list Open_vSwitch -- list Bridge -- list Port -- list Interface 2> /dev/null
section devices; nmcli -t -f DEVICE,TYPE,STATE,CONNECTION device 2> /dev/null
section profiles
profiles=$(nmcli -t -f UUID,NAME,TYPE,AUTOCONNECT,AUTOCONNECT-PRIORITY,ACTIVE,DEVICE,STATE,FILENAME connection show 2> /dev/null)
echo "$profiles"
if [ "$1" = whole ]; then
  uuids=()
  while IFS=: read -r uuid _; do [ -z "$uuid" ] || uuids+=(uuid "$uuid"); done <<< "$profiles"
  section settings
  [ "${#uuids[@]}" = 0 ] || nmcli -t connection show "${uuids[@]}"
fi
shopt -s nullglob
files /{etc,run,usr/lib}/NetworkManager/system-connections/* /etc/ovnk/* /var/lib/ovnk/* /etc/microshift/* /run/microshift-net/* \
  /run/ovnk/* /etc/resolv.conf /run/configure-ovs-boot-done
exit 0
