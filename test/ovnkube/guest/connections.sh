#!/bin/bash
# Tries each kind of connection of a pod on a single node: connections.sh SECONDS [FAMILY]     4 or 6, for a node with addresses of both families
set -u
# shellcheck source=tries.sh
. /testnode/ovnkube/tries.sh
if [[ ${2-4} == 4 ]]; then
  first=0 node=192.0.2.50 lan=192.0.2.1
else
  first=1 node=2001:db8::50 lan=2001:db8::1
fi
b=$(of pod b -o "jsonpath={.status.podIPs[$first].ip}")
web=$(of service web -o "jsonpath={.spec.clusterIPs[$first]}")

from=(ip netns exec a)
try 'pod to LAN' says "$lan" 8080 lan
try 'pod to LAN, ping' pings "$lan"
try 'pod to node' pings "$node"
try 'pod to pod' says "$b" 8080 b
try 'pod to pod, ping' pings "$b"
try 'pod to ClusterIP' says "$web" 80 b
try 'pod to NodePort' says "$node" 30080 b
# The service of the API server has an address of one family.
[[ $first == 1 ]] || try "pod to the API server's ClusterIP" says 10.43.0.1 443 ''
from=(ip netns exec b)
try 'pod to itself by ClusterIP' says "$web" 80 b
from=()
try 'node to pod' says "$b" 8080 b
try 'node to ClusterIP' says "$web" 80 b
try 'node to NodePort' says "$node" 30080 b
from=(ip netns exec lan)
try 'LAN to NodePort' says "$node" 30080 b
