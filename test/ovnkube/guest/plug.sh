#!/bin/bash
# Connects a pod as a container runtime does: a network namespace, a call of the CNI plug-in, and the address in the pod's status. In the namespace, a
# server on TCP port 8080 answers with the pod's name and the client's address.
#   plug.sh NAME
set -eu
name=$1
kubectl=(kubectl --kubeconfig /testnode/kube/admin.kubeconfig -n default)
ip netns delete "$name" 2> /dev/null || true
ip netns add "$name"
ip -n "$name" link set lo up
uid=$("${kubectl[@]}" get pod "$name" -o 'jsonpath={.metadata.uid}')
id=$(echo "$name $uid $(date +%N)" | sha256sum | cut -c 1-64)
result=$(CNI_COMMAND=ADD CNI_CONTAINERID=$id CNI_NETNS=/run/netns/$name CNI_IFNAME=eth0 CNI_PATH=/run/cni/bin \
  CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=$name;K8S_POD_INFRA_CONTAINER_ID=$id;K8S_POD_UID=$uid" \
  timeout 100 /run/cni/bin/ovn-k8s-cni-overlay < /etc/cni/net.d/10-ovn-kubernetes.conf) || { echo "CNI ADD: $result" >&2; exit 1; }
addresses=$(jq -r '.ips[].address | sub("/.*"; "")' <<< "$result")
status=$(jq -n --arg addresses "$addresses" '($addresses | split("\n")) as $all |
  { status: { phase: "Running", podIP: $all[0], podIPs: [$all[] | { ip: . }], conditions: [{ type: "Ready", status: "True" }] } }')
# Open vSwitch's userspace data path drops packets whose checksum is left to hardware, which a veth does not have.
ip netns exec "$name" ethtool -K eth0 tx off > /dev/null
"${kubectl[@]}" patch pod "$name" --subresource=status --type=merge -p "$status" > /dev/null
setsid ip netns exec "$name" node /testnode/ovnkube/server.mjs "$name" < /dev/null > /dev/null 2>&1 &
echo "$addresses"
