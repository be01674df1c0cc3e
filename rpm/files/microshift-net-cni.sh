#!/bin/sh
# CNI plug-in (specification 1.1). The daemon, `microshift-net overlay run`, makes all decisions. This script asks the
# daemon by ovs-appctl(8), and creates the links and addresses itself, because it has the rights and the namespaces of
# the container runtime. docs/use/cni.md describes it.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
socket=/run/microshift-net/cni.sock
newline='
'

fail() {
  version=$(printf %s "$config" | sed -n 's/.*"cniVersion" *: *"\([0-9.]*\)".*/\1/p')
  printf '{"cniVersion":"%s","code":%s,"msg":"%s"}\n' "${version:-0.1.0}" "$1" "$(printf %s "$2" | tr '"\\\n\t' "'/  ")"
  exit 1
}

# Sets $answer to the daemon's answer; fails without one. The daemon answers before this limit, and the kubelet's own limit is two minutes.
ask() {
  command=$1
  shift
  answer=$(ovs-appctl -T 50 -t "$socket" "$command" "$CNI_CONTAINERID" "$CNI_NETNS" "$CNI_IFNAME" "$CNI_ARGS" "$config" "$@" 2> /dev/null)
}

# Removes the first character of $answer; prints the rest and exits if that character reports an error.
use_answer() {
  case $answer in
    0*) answer=${answer#0} ;;
    *)
      printf '%s\n' "${answer#1}"
      exit 1
      ;;
  esac
}

no_daemon="the daemon of microshift-net does not answer at $socket: systemctl start microshift-net-overlay"

link_of_container() {
  rest=${CNI_CONTAINERID#???????????????}
  link=${CNI_CONTAINERID%"$rest"}
  link=${link:-$CNI_CONTAINERID}
}

# Removes the ports of the container, even without the daemon.
remove_ports() {
  case $CNI_CONTAINERID in '' | *[!a-zA-Z0-9_.-]*) fail 4 "CNI_CONTAINERID cannot be used" ;; esac
  if ask DEL; then
    case $answer in 0*) return 0 ;; esac
  fi
  ports=$(ovs-vsctl --timeout=10 --no-wait --bare --no-headings --columns=name find Interface "external_ids:sandbox=\"$CNI_CONTAINERID\"" 2> /dev/null) || return 1
  [ -n "$ports" ] || return 0
  set --
  for port in $ports; do set -- "$@" -- --if-exists del-port br-int "$port"; done
  ovs-vsctl --timeout=10 --no-wait "$@" 2> /dev/null
}

# Removes the veth pair by its end on the node. A link with the whole id as its name could belong to another program; the alias identifies it.
remove_link() {
  link_of_container
  [ -e "/sys/class/net/$link" ] || return 0
  alias=
  if [ "$link" = "$CNI_CONTAINERID" ]; then
    read -r alias 2> /dev/null < "/sys/class/net/$link/ifalias"
    [ "$alias" = 'microshift-net pod' ] || return 0
  fi
  ip link delete dev "$link" 2> /dev/null || ! [ -e "/sys/class/net/$link" ]
}

# Writes a setting of an interface in the caller's network namespace (ip-sysctl.rst); a kernel without IPv6 has no settings of IPv6.
# shellcheck disable=SC2016 # The inner shell expands the words.
set_interface='[ ! -e "/proc/sys/net/$1" ] || echo "$2" > "/proc/sys/net/$1"'

take_back() {
  remove_ports
  remove_link
}

add() {
  ask ADD || fail 11 "$no_daemon"
  use_answer
  why=$(printf '%s\n' "$answer" | ip -batch - 2>&1) || {
    remove_link
    fail 101 "the links of the pod cannot be made: $why"
  }
  # With the userspace data path, the node's kernel also receives the pod's frames, past OVN. With IPv6 disabled, the
  # kernel ignores router advertisements in these frames. With rp_filter, it accepts no IPv4 packet at an interface
  # without an address (fib_frontend.c, __fib_validate_source).
  link_of_container
  why=$({ sh -c "$set_interface" sh "ipv6/conf/$link/disable_ipv6" 1 && sh -c "$set_interface" sh "ipv4/conf/$link/rp_filter" 1; } 2>&1) || {
    remove_link
    fail 101 "the node's end of the pod's link cannot be closed: $why"
  }
  ask PLUG || {
    take_back
    fail 11 "$no_daemon"
  }
  case $answer in 0*) ;; *) remove_link ;; esac
  use_answer
  result=${answer%%"$newline"*}
  answer=${answer#*"$newline"}
  datapath=${answer%%"$newline"*}
  # Addresses and routes are static: the only router advertisements are those of other pods, which OVN cannot drop (CVE-2020-10749).
  why=$(nsenter --net="$CNI_NETNS" sh -c "$set_interface" sh "ipv6/conf/$CNI_IFNAME/accept_ra" 0 2>&1) || {
    take_back
    fail 101 "router advertisements cannot be turned off in the pod: $why"
  }
  why=$(printf '%s\n' "${answer#*"$newline"}" | nsenter --net="$CNI_NETNS" ip -batch - 2>&1) || {
    take_back
    fail 101 "the pod's interface cannot be set up: $why"
  }
  # Checksum offload is turned off. The userspace data path forwards packets as it reads them, without the checksums
  # that the kernel would fill in later.
  if [ "$datapath" = netdev ]; then
    why=$({ ethtool -K "$link" tx off && nsenter --net="$CNI_NETNS" ethtool -K "$CNI_IFNAME" tx off; } 2>&1) || {
      take_back
      fail 101 "checksums cannot be turned on: $why"
    }
  fi
  printf '%s\n' "$result"
}

inside() {
  nsenter --net="$CNI_NETNS" ip -json "$@" 2> /dev/null
}

case $CNI_COMMAND in
  VERSION)
    echo '{"cniVersion":"1.1.0","supportedVersions":["0.3.1","0.4.0","1.0.0","1.1.0"]}'
    exit 0
    ;;
esac
config=$(cat)
case $CNI_COMMAND in
  ADD) add ;;
  DEL)
    remove_ports || fail 11 'the database of Open vSwitch does not answer: systemctl status ovsdb-server'
    remove_link || fail 101 "the node's end of the pod's link cannot be removed"
    ;;
  CHECK)
    ask CHECK "$(inside address show dev "$CNI_IFNAME")" "$(inside -4 route show)" "$(inside -6 route show)" || fail 11 "$no_daemon"
    use_answer
    ;;
  GC)
    ask GC || fail 11 "$no_daemon"
    use_answer
    ;;
  STATUS)
    ask STATUS || fail 50 "$no_daemon"
    use_answer
    ;;
  *) fail 4 'CNI_COMMAND is not known' ;;
esac
