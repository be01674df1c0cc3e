#!/bin/bash
# Runs ovnkube in the given roles: ovnkube.sh cluster-manager|controller|node|controller node. The options of ovnkube
# depend on its release. The script finds them in the help of ovnkube, and does not compare versions.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh

conf=/run/ovnkube-config/ovnkube.conf
roles=" $* "
known_options=$(/usr/bin/ovnkube --help 2>&1 || true)

has_role() { [[ $roles == *" $1 "* ]]; }
knows() { [[ $known_options == *"--$1"* ]]; }

# Records and prints the reason why ovnkube is not started. ovnkube-ready.sh prints it as well, so that the events of
# the pod contain it.
not_started() {
  echo "$1" > /tmp/not-started
  echo "$1" >&2
}

# Handles an error that a restart of the container would not fix: the container keeps running and is not ready, instead
# of exiting repeatedly.
refuse() {
  not_started "$1"
  exec sleep infinity
}

# Waits until ovs-vswitchd has created the device of a bridge. ovs-vsctl waits for a notification of the database and
# does not poll. The column ifindex is not stored on disk, so its value never comes from an earlier boot.
wait_for_bridge() {
  not_started "waiting for $1, which $2 makes"
  ovs-vsctl --retry "${@:3}" wait-until Interface "$1" 'ifindex>0'
}

# Succeeds if br-ex has an address of the node, which is any address that ovnkube itself does not add.
has_address() { ip -oneline address show dev br-ex scope global | grep -qvE ' (169\.254\.|fd69:)'; }

# Waits for an address on br-ex, which takes DHCP some seconds. An ovnkube that starts without an address exits after
# half a minute, and has disconnected the node from the LAN by then.
wait_for_address() {
  not_started 'waiting for an address on br-ex'
  local changes
  exec {changes}< <(exec ip monitor address dev br-ex)
  SECONDS=0
  # The address is checked again after five seconds without an event, because the first check may come before `ip
  # monitor` listens. The limit of a minute is longer than the time that a DHCP exchange gets.
  until has_address || ((SECONDS > 60)); do
    read -r -t 5 -u "$changes" || (($? > 128)) || break
  done
  exec {changes}<&-
  kill $! || true
}

# Prints the device of the default route, which is br-ex if br-ex has the uplink; br-ex without a default route.
default_device() {
  local family route
  for family in -4 -6; do
    route=$(ip "$family" -oneline route show default)
    if [[ $route =~ \ dev\ ([^[:space:]]+) ]]; then
      echo "${BASH_REMATCH[1]}"
      return
    fi
  done
  echo br-ex
}

# Prints the MTU of pods. Between nodes, the headers of the tunnel need room (RFC 8926): 58 bytes over IPv4, 78 bytes
# over IPv6. A single node has no tunnel.
pod_mtu() {
  local mtu
  mtu=$(< "/sys/class/net/$(default_device)/mtu") || return 1
  case ${K8S_APISERVER:-} in
    '') echo "$mtu" ;;
    *'['*) echo $((mtu - 78)) ;;
    *) echo $((mtu - 58)) ;;
  esac
}

prepare_node() {
  # Removes the CNI configuration that a killed ovnkube or a power cut has left. With this file, the node would be ready
  # although no process answers CNI requests.
  rm -f /etc/cni/net.d/10-ovn-kubernetes.conf

  # Without br-ex, ovnkube neither works nor exits. The wait has no limit, because the container has nothing else to do
  # until br-ex exists.
  wait_for_bridge br-ex 'microshift-net apply'
  wait_for_address
  # At its first start, ovnkube exits if br-int does not exist yet. ovn-controller creates br-int in less than a minute.
  wait_for_bridge br-int ovn-controller --timeout=60 || echo 'no br-int after 60 s; starting ovnkube without it' >&2
  # ovnkube-alive.sh compares this UUID with that of the present br-ex.
  ovs-vsctl --timeout=10 get Bridge br-ex _uuid > /tmp/bridge
  rm -f /tmp/not-started

  # A rename replaces the file, because the container runtime may be executing the old one.
  cp /usr/libexec/cni/ovn-k8s-cni-overlay /cni-bin-dir/.ovn-k8s-cni-overlay.new
  mv /cni-bin-dir/.ovn-k8s-cni-overlay.new /cni-bin-dir/ovn-k8s-cni-overlay

  # Packets of tunnels need no connection tracking. The rule is added only if it does not exist, because every start
  # would otherwise add another copy.
  local tables chain
  for tables in iptables ip6tables; do
    for chain in PREROUTING OUTPUT; do
      "$tables" -t raw -C "$chain" -p udp --dport 6081 -j NOTRACK 2> /dev/null ||
        "$tables" -t raw -A "$chain" -p udp --dport 6081 -j NOTRACK ||
        echo "$tables refuses the rule for the tunnel port; going on without it"
    done
  done

  # In local gateway mode, the host routes the traffic between the uplink and the pods.
  echo 1 > /proc/sys/net/ipv4/ip_forward
  if [[ -d /proc/sys/net/ipv6 ]]; then
    echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
    echo 1 > /proc/sys/net/ipv6/conf/default/forwarding
  fi
}

# Succeeds if the cluster manager of this release is a separate process. In earlier releases, the process that fills the
# databases did the work of the cluster manager.
has_cluster_manager() { knows init-cluster-manager && knows init-ovnkube-controller; }

rm -f /tmp/not-started /tmp/bridge
options=("--config-file=$conf" "--loglevel=${OVN_KUBE_LOG_LEVEL:-4}" --enable-multicast)

case ${OVN_NORTH:-} in
  tcp:*)
    if ! knows nb-address || ! knows init-master; then
      refuse 'this ovnkube has no central databases any more (no --nb-address): use the flavour interconnect, or an older image'
    fi
    options+=(--nb-address "$OVN_NORTH" --sb-address "$OVN_SOUTH")
    ;;
  unix:*)
    if ! has_cluster_manager; then
      refuse 'this ovnkube has no zones (no --init-ovnkube-controller): the flavour interconnect needs an image of September 2023 or later'
    fi
    ;;
esac
if [[ -n ${OVN_NORTH:-} ]]; then options+=(--cluster-subnets "$OVN_NET_CIDR" --k8s-service-cidrs "$OVN_SVC_CIDR"); fi

if has_role cluster-manager; then
  if has_cluster_manager; then
    echo "starting ovnkube --init-cluster-manager $K8S_NODE"
    exec /usr/bin/ovnkube "${options[@]}" --init-cluster-manager "$K8S_NODE"
  fi
  echo 'this ovnkube has no cluster manager of its own; ovnkube-master does its work'
  exec sleep infinity
fi

if has_role node; then
  prepare_node
  options+=(--init-node "$K8S_NODE")
  if [[ -d /sys/class/net/br-ex1 ]]; then options+=(--exgw-interface=br-ex1); fi
fi
if ! grep -q '^mtu=' "$conf"; then
  if ! mtu=$(pod_mtu); then
    echo "mtu: auto needs a default route or br-ex to take it from, and there is neither" >&2
    exit 1
  fi
  options+=(--mtu "$mtu")
fi
if has_role controller; then
  if has_cluster_manager && [[ ${OVN_NORTH:-} != tcp:* ]]; then
    options+=(--init-ovnkube-controller "$K8S_NODE")
  else
    # No other candidate waits for the lease, so the times (in seconds) are long: a slow disk must not cost ovnkube its
    # lease.
    options+=(--init-master "$K8S_NODE")
    options+=(--ha-election-lease-duration 137 --ha-election-renew-deadline 107 --ha-election-retry-period 26)
  fi
  if [[ -z ${OVN_NORTH:-} ]] && knows single-node; then options+=(--single-node); fi
  if [[ ${OVN_NORTH:-} == unix:* ]] && knows zone; then
    # ovnkube compares its zone with the zone that the databases name. ovn-northd copies the name of the zone from the
    # northbound to the southbound database.
    ovsdb-client --timeout=60 wait "$OVN_NORTH" OVN_Northbound connected
    ovn-nbctl --timeout=60 --db="$OVN_NORTH" set NB_Global . name="$K8S_NODE" options:name="$K8S_NODE"
    options+=(--zone "$K8S_NODE")
  fi
fi

echo "starting ovnkube ${options[*]}"
exec /usr/bin/ovnkube "${options[@]}"
