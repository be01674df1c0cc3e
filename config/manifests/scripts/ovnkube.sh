#!/bin/bash
# Runs ovnkube in the given roles: ovnkube.sh cluster-manager|controller|node|controller node.
# Which options an ovnkube has differs by its release, so it is asked for them instead of its version being compared.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh

conf=/run/ovnkube-config/ovnkube.conf
roles=" $* "
known_options=$(/usr/bin/ovnkube --help 2>&1 || true)

has_role() { [[ $roles == *" $1 "* ]]; }
knows() { [[ $known_options == *"--$1"* ]]; }

# ovnkube-ready.sh says it too, and so it gets into the events of the pod.
not_started() {
  echo "$1" > /tmp/not-started
  echo "$1" >&2
}

# For what a restart of the container does not mend: it stays and is not ready, instead of ending over and over.
refuse() {
  not_started "$1"
  exec sleep infinity
}

# The databases tell ovs-vsctl, it does not poll. A device's number is not kept on disk, so it is never one of before a power cut.
wait_for_bridge() {
  not_started "waiting for $1, which $2 makes"
  ovs-vsctl --retry "${@:3}" wait-until Interface "$1" 'ifindex>0'
}

# An address of the node's on br-ex: any that is not one ovnkube itself gives it.
has_address() { ip -oneline address show dev br-ex scope global | grep -qvE ' (169\.254\.|fd69:)'; }

# Started without an address ovnkube ends after half a minute, and has cut the node off from the LAN by then. DHCP takes seconds.
wait_for_address() {
  not_started 'waiting for an address on br-ex'
  local changes
  exec {changes}< <(exec ip monitor address dev br-ex)
  SECONDS=0
  # Every five seconds without an event, too: the first look may come before ip monitor listens. A minute is more than DHCP is given.
  until has_address || ((SECONDS > 60)); do
    read -r -t 5 -u "$changes" || (($? > 128)) || break
  done
  exec {changes}<&-
  kill $! || true
}

# The device of the default route, which is br-ex where br-ex has the uplink.
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

# The largest packet a pod may send. Between nodes it must leave room for the tunnel's headers (RFC 8926):
# 58 bytes over IPv4, 78 over IPv6. Within one node there is no tunnel.
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
  # Left by an ovnkube that was killed, or by a power cut, it would have the node called ready while nobody answers CNI calls.
  rm -f /etc/cni/net.d/10-ovn-kubernetes.conf

  # Without br-ex ovnkube neither works nor ends. There is no limit: until somebody makes br-ex there is nothing else to do.
  wait_for_bridge br-ex 'microshift-net apply'
  wait_for_address
  # At the first start ovnkube ends where it is quicker than ovn-controller. A minute is more than ovn-controller ever needs.
  wait_for_bridge br-int ovn-controller --timeout=60 || echo 'no br-int after 60 s; starting ovnkube without it' >&2
  # ovnkube-alive.sh compares it.
  ovs-vsctl --timeout=10 get Bridge br-ex _uuid > /tmp/bridge
  rm -f /tmp/not-started

  # By rename, because the runtime may be executing the old one.
  cp /usr/libexec/cni/ovn-k8s-cni-overlay /cni-bin-dir/.ovn-k8s-cni-overlay.new
  mv /cni-bin-dir/.ovn-k8s-cni-overlay.new /cni-bin-dir/ovn-k8s-cni-overlay

  # Tunnel packets need no connection tracking. Asked for first, or every start would add one more rule.
  local tables chain
  for tables in iptables ip6tables; do
    for chain in PREROUTING OUTPUT; do
      "$tables" -t raw -C "$chain" -p udp --dport 6081 -j NOTRACK 2> /dev/null ||
        "$tables" -t raw -A "$chain" -p udp --dport 6081 -j NOTRACK ||
        echo "$tables refuses the rule for the tunnel port; going on without it"
    done
  done

  # Traffic between the uplink and the pods passes the host's routing in local gateway mode.
  echo 1 > /proc/sys/net/ipv4/ip_forward
  if [[ -d /proc/sys/net/ipv6 ]]; then
    echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
    echo 1 > /proc/sys/net/ipv6/conf/default/forwarding
  fi
}

# Whether the cluster manager is a process of its own; before, what fills the databases did its work, too.
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
    # The only candidate need not hurry; a slow disk must not cost it the lease. Seconds, as in ovnkube.conf.
    options+=(--init-master "$K8S_NODE")
    options+=(--ha-election-lease-duration 137 --ha-election-renew-deadline 107 --ha-election-retry-period 26)
  fi
  if [[ -z ${OVN_NORTH:-} ]] && knows single-node; then options+=(--single-node); fi
  if [[ ${OVN_NORTH:-} == unix:* ]] && knows zone; then
    # ovnkube compares the zone with the one the databases say they are of; northd carries it from one to the other.
    ovsdb-client --timeout=60 wait "$OVN_NORTH" OVN_Northbound connected
    ovn-nbctl --timeout=60 --db="$OVN_NORTH" set NB_Global . name="$K8S_NODE" options:name="$K8S_NODE"
    options+=(--zone "$K8S_NODE")
  fi
fi

echo "starting ovnkube ${options[*]}"
exec /usr/bin/ovnkube "${options[@]}"
