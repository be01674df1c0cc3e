#!/bin/bash
# The same over IPv6, on a node with addresses of both families: connections-ipv6.sh SECONDS
set -u
# shellcheck source=tries.sh
. /testnode/ovnkube/tries.sh
b=$(of pod b -o 'jsonpath={.status.podIPs[1].ip}')
web=$(of service web -o 'jsonpath={.spec.clusterIPs[1]}')
node=2001:db8::50
lan=2001:db8::1

from=(ip netns exec a)
try 'pod to LAN' says "$lan" 8080 lan
try 'pod to LAN, ping' pings "$lan"
try 'pod to node' pings "$node"
try 'pod to pod' says "$b" 8080 b
try 'pod to pod, ping' pings "$b"
try 'pod to ClusterIP' says "$web" 80 b
try 'pod to NodePort' says "$node" 30080 b
from=(ip netns exec b)
try 'pod to itself by ClusterIP' says "$web" 80 b
from=()
try 'node to pod' says "$b" 8080 b
try 'node to ClusterIP' says "$web" 80 b
try 'node to NodePort' says "$node" 30080 b
from=(ip netns exec lan)
try 'LAN to NodePort' says "$node" 30080 b
