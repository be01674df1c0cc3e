#!/bin/bash
# Runs ovnkube in the given roles: ovnkube.sh master|node|master node.
# Which options an ovnkube has differs by its release, so it is asked for them instead of its version being compared.
set -euo pipefail
# shellcheck source=environment.sh
source /scripts/environment.sh

conf=/run/ovnkube-config/ovnkube.conf
roles=" $* "
known_options=$(/usr/bin/ovnkube --help 2>&1 || true)

has_role() { [[ $roles == *" $1 "* ]]; }
knows() { [[ $known_options == *"--$1"* ]]; }

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
  case ${OVN_NORTH:-} in
    '') echo "$mtu" ;;
    *'['*) echo $((mtu - 78)) ;;
    *) echo $((mtu - 58)) ;;
  esac
}

prepare_node() {
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

ovnkube=(/usr/bin/ovnkube "--config-file=$conf" "--loglevel=${OVN_KUBE_LOG_LEVEL:-4}" --enable-multicast)
if ! grep -q '^mtu=' "$conf"; then
  if ! mtu=$(pod_mtu); then
    echo "mtu: auto needs a default route or br-ex to take it from, and there is neither" >&2
    exit 1
  fi
  ovnkube+=(--mtu "$mtu")
fi

if [[ -n ${OVN_NORTH:-} ]]; then
  if ! knows nb-address; then
    echo "this ovnkube has no central databases any more (no --nb-address): the flavour multi-node needs an older image" >&2
    exit 1
  fi
  ovnkube+=(--nb-address "$OVN_NORTH" --sb-address "$OVN_SOUTH")
  ovnkube+=(--cluster-subnets "$OVN_NET_CIDR" --k8s-service-cidrs "$OVN_SVC_CIDR")
fi

arguments=()
second_process=false
if has_role master; then
  if knows init-master; then
    arguments+=(--init-master "$K8S_NODE")
  else
    arguments+=(--init-ovnkube-controller "$K8S_NODE")
    second_process=true
  fi
fi
if has_role node; then
  prepare_node
  arguments+=(--init-node "$K8S_NODE")
  if [[ -d /sys/class/net/br-ex1 ]]; then arguments+=(--exgw-interface=br-ex1); fi
fi
if has_role master && has_role node && knows single-node; then arguments+=(--single-node); fi

echo "starting ovnkube ${arguments[*]}"
if [[ $second_process == false ]]; then exec "${ovnkube[@]}" "${arguments[@]}"; fi

# Later releases run the cluster manager as a process of its own; the container ends when either does.
"${ovnkube[@]}" --init-cluster-manager "$K8S_NODE" &
"${ovnkube[@]}" "${arguments[@]}" &
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
trap 'exit 143' TERM INT
wait -n
