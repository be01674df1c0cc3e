#!/bin/bash
# Tries each kind of connection between pod a on this node, pod b on the second node, both nodes and the LAN: between-nodes.sh SECONDS
set -u
# shellcheck source=tries.sh
. /testnode/ovnkube/tries.sh
a=$(of pod a -o 'jsonpath={.status.podIP}')
b=$(of pod b -o 'jsonpath={.status.podIP}')
web=$(of service web -o 'jsonpath={.spec.clusterIP}')
first=192.0.2.50
second=192.0.2.51
lan=192.0.2.1
on_second=/testnode/on-second.sh
# The payload of the largest packet, without the headers of IPv4 and ICMP.
largest=$(($(ip netns exec a cat /sys/class/net/eth0/mtu) - 28))

from=(ip netns exec a)
try 'pod a to LAN' says "$lan" 8080 lan
try 'pod a to LAN, ping' pings "$lan"
try 'pod a to its node' pings "$first"
try 'pod a to the other node' pings "$second"
try 'pod a to pod b' says "$b" 8080 b
try 'pod a to pod b, packets of the full MTU' pings "$b" -M 'do' -s "$largest"
try 'pod a to ClusterIP' says "$web" 80 b
try 'pod a to NodePort of its node' says "$first" 30080 b
try 'pod a to NodePort of the other node' says "$second" 30080 b
try "pod a to the API server's ClusterIP" says 10.43.0.1 443 ''
from=("$on_second" ip netns exec b)
try 'pod b to LAN' says "$lan" 8080 lan
try 'pod b to the other node' pings "$first"
try 'pod b to pod a' says "$a" 8080 a
try 'pod b to itself by ClusterIP' says "$web" 80 b
try "pod b to the API server's ClusterIP" says 10.43.0.1 443 ''
from=()
try 'first node to pod b' says "$b" 8080 b
try 'first node to ClusterIP' says "$web" 80 b
try 'first node to its NodePort' says "$first" 30080 b
try 'first node to NodePort of the other' says "$second" 30080 b
from=("$on_second")
try 'second node to pod a' says "$a" 8080 a
try 'second node to pod b' says "$b" 8080 b
try 'second node to ClusterIP' says "$web" 80 b
try 'second node to its NodePort' says "$second" 30080 b
try 'second node to NodePort of the other' says "$first" 30080 b
from=(ip netns exec lan)
try 'LAN to NodePort of the first node' says "$first" 30080 b
try 'LAN to NodePort of the second node' says "$second" 30080 b
