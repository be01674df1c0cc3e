#!/bin/bash
# Runs the containers' scripts with a real OVN: scripts-inside.sh <folder with upper/ and work/> <scripts>. It runs in
# separate mount, network and process namespaces. Its root file system is that of this machine with OVN's files laid
# over it; written files stay in <folder>. Prints one `name=value` per result.
set -eu
folder=$1
scripts=$2
root=$folder/root
mkdir -p "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
mkdir -p "$root"/{proc,run,etc/ovn,scripts,env,var/log/ovn,cni-bin-dir,usr/libexec/cni,tmp}
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
for place in run etc/ovn tmp; do mount -t tmpfs tmpfs "$root/$place"; done
mkdir -p "$root"/run/{ovn,openvswitch,ovnkube-config}
cp "$scripts"/*.sh "$root/scripts/"
ip link set lo up
ip link add br-ex mtu 1500 type dummy 2> /dev/null || ip link add br-ex mtu 1500 type veth peer name other
ip link set br-ex up
ip address add 192.0.2.10/24 dev br-ex

cat > "$root/run/test.sh" <<'INSIDE'
set -u
export K8S_NODE=n1
find() { echo "$1=$(echo "$2" | tr '\n' ' ')"; }
until_ready() { for _ in $(seq 100); do "$@" > /dev/null 2>&1 && return; sleep 0.1; done; echo "never ready: $*"; }

touch /run/ovn/ovnnb_db.sock /run/ovn/ovn-northd.pid
bash /scripts/ovsdb.sh nb > /tmp/nb.log 2>&1 & nb=$!
OVN_DB_ADDRESS=tcp:127.0.0.1:6642 bash /scripts/ovsdb.sh sb > /tmp/sb.log 2>&1 & sb=$!
bash /scripts/northd.sh > /tmp/northd.log 2>&1 & northd=$!
until_ready bash /scripts/ovsdb-ready.sh nb
until_ready bash /scripts/ovsdb-ready.sh sb
until_ready ovn-appctl --timeout=5 -t ovn-northd status
ovn-nbctl --timeout=10 ls-add sw0
ovn-nbctl --timeout=10 --wait=sb sync
find northd_works $?
find answers_on_tcp "$(ovn-sbctl --timeout=5 --db=tcp:127.0.0.1:6642 --bare --columns=tunnel_key list Datapath_Binding)"
find nb_process "$(cat /proc/$nb/comm)"

ovsdb-tool create /tmp/conf.db /usr/share/openvswitch/vswitch.ovsschema
ovsdb-server /tmp/conf.db --remote=punix:/run/openvswitch/db.sock --detach --pidfile=/run/openvswitch/ovsdb-server.pid --no-chdir
ovs-vsctl --no-wait init -- set open . external-ids:system-id=n1 external-ids:ovn-remote=unix:/run/ovn/ovnsb_db.sock \
  external-ids:ovn-encap-type=geneve external-ids:ovn-encap-ip=127.0.0.1
bash /scripts/ovn-controller.sh > /tmp/controller.log 2>&1 & controller=$!
until_ready bash /scripts/ovn-controller-ready.sh
find controller_process "$(cat /proc/$controller/comm)"
ovn-appctl --timeout=10 -t ovn-controller exit --restart
wait $controller
find controller_end $?
find chassis_stays "$(ovn-sbctl --timeout=5 --bare --columns=name list Chassis)"
ovn-appctl --timeout=10 -t ovn-northd exit
wait $northd
find northd_end $?
ovn-appctl --timeout=10 -t /run/ovn/ovnnb_db.ctl exit
wait $nb
find nb_end $?
bash /scripts/ovsdb.sh nb > /tmp/nb.log 2>&1 & nb=$!
until_ready bash /scripts/ovsdb-ready.sh nb
find database_stays "$(ovn-nbctl --timeout=5 --bare --columns=name list Logical_Switch)"
kill $nb $sb

# Stand-in for ovnkube, whose image cannot run in this test: it knows the given options, prints its arguments, and exits.
cat > /usr/bin/ovnkube <<'STAND_IN'
#!/bin/bash
if [[ $1 == --help ]]; then exec cat /tmp/options; fi
echo "$*" >> /tmp/calls
exit 7
STAND_IN
printf '#!/bin/bash\necho "$0 $*" >> /tmp/rules\n[[ $* != *-C* ]]\n' > /usr/sbin/iptables
cp /usr/sbin/iptables /usr/sbin/ip6tables
chmod +x /usr/bin/ovnkube /usr/sbin/iptables /usr/sbin/ip6tables
echo plug-in > /usr/libexec/cni/ovn-k8s-cni-overlay
of_2022='--init-master --init-node --nb-address'
of_2024="$of_2022 --init-cluster-manager --init-ovnkube-controller --single-node --zone"
of_2026='--init-cluster-manager --init-ovnkube-controller --init-node --single-node'
conf=/run/ovnkube-config/ovnkube.conf
cni=/etc/cni/net.d/10-ovn-kubernetes.conf
mkdir -p /etc/cni/net.d

# Starts the script, and prints the arguments of ovnkube; with `stays`, checks that ovnkube did not start, and runs the readiness probe.
call() {
  : > /tmp/calls
  timeout 20 bash /scripts/ovnkube.sh "${@:2}" > /tmp/ovnkube.log 2>&1
  find "$1_end" $?
  find "$1" "$(cat /tmp/calls)"
}
stays() {
  : > /tmp/calls
  bash /scripts/ovnkube.sh "${@:2}" > /tmp/ovnkube.log 2>&1 & local script=$!
  until_ready grep -q . /tmp/ovnkube.log
  find "$1_ready" "$(bash /scripts/ovnkube-ready.sh; echo "$?")"
  kill $script
  wait $script 2> /dev/null
  find "$1_end" $?
  find "$1" "$(cat /tmp/calls)"
}
made() { ovs-vsctl --no-wait --may-exist add-br "$1" -- set Interface "$1" ifindex=7; }

printf '[default]\nmtu=1400\n' > $conf
echo "$of_2026" > /tmp/options
: > /tmp/calls
touch $cni
ovs-vsctl --no-wait add-br br-ex
ovs-vsctl --no-wait --if-exists del-br br-int
bash /scripts/ovnkube.sh controller node > /tmp/ovnkube.log 2>&1 & script=$!
until_ready grep -q br-ex /tmp/not-started
find removed "$(ls /etc/cni/net.d)"
find unmade "$(bash /scripts/ovnkube-ready.sh node; echo $?)"
find alive_before "$(bash /scripts/ovnkube-alive.sh; echo $?)"
ip address delete 192.0.2.10/24 dev br-ex
made br-ex
until_ready grep -q address /tmp/not-started
ip address add 169.254.169.2/29 dev br-ex
find before_address "$(bash /scripts/ovnkube-ready.sh node)"
ip address add 192.0.2.10/24 dev br-ex
until_ready grep -q br-int /tmp/not-started
find before_br_int "$(cat /tmp/calls)"
made br-int
wait $script
find awaited "$(cat /tmp/calls)"
find not_yet "$(bash /scripts/ovnkube-ready.sh node; echo $?)"
touch $cni
find written "$(bash /scripts/ovnkube-ready.sh node; echo $?)"
alive() { find "$1" "$(bash /scripts/ovnkube-alive.sh; echo $?)"; }
alive alive
ovs-vsctl --no-wait del-br br-ex
alive alive_without_bridge
made br-ex
alive bridge_again
ovs-vsctl --no-wait del-br br-int
sed -i 's/ovn-controller --timeout=60/ovn-controller --timeout=1/; s/SECONDS > 60/SECONDS > 1/' /scripts/ovnkube.sh
ip address delete 192.0.2.10/24 dev br-ex
call without_br_int controller node
ip address add 192.0.2.10/24 dev br-ex
made br-int

for year in 2022 2024 2026; do
  options=of_$year
  echo "${!options}" > /tmp/options
  call $options controller node
  if [[ $year == 2022 ]]; then stays manager_$options cluster-manager; else call manager_$options cluster-manager; fi
done
find plug_in "$(cat /cni-bin-dir/ovn-k8s-cni-overlay)"
find rules "$(sort -u /tmp/rules | grep -c -- -A)"
printf '[default]\n' > $conf
export OVN_NORTH=tcp:192.0.2.10:6641 OVN_SOUTH=tcp:192.0.2.10:6642 OVN_NET_CIDR=10.42.0.0/16 OVN_SVC_CIDR=10.43.0.0/16
export K8S_APISERVER=https://192.0.2.10:6443
stays too_new node
echo "$of_2024" > /tmp/options
call among_nodes node
call central controller

export OVN_NORTH=unix:/run/ovn/ovnnb_db.sock OVN_SOUTH=unix:/run/ovn/ovnsb_db.sock
call manager_of_zones cluster-manager
: > /tmp/calls
rm -f "${OVN_NORTH#unix:}"
bash /scripts/ovnkube.sh controller node > /tmp/ovnkube.log 2>&1 & script=$!
until_ready grep -q 'connection attempt failed' /tmp/ovnkube.log
find before_database "$(cat /tmp/calls)"
bash /scripts/ovsdb.sh nb > /tmp/nb.log 2>&1 & nb=$!
wait $script
find zone_of_2024 "$(cat /tmp/calls)"
find zone_of_database "$(ovn-nbctl --timeout=5 get NB_Global . name options:name)"
kill $nb
echo "$of_2026" > /tmp/options
K8S_APISERVER='https://[2001:db8::10]:6443' call zone_of_2026 controller node
echo "$of_2022" > /tmp/options
stays zone_of_2022 controller node
stays zones_of_2022 cluster-manager
echo "$of_2026" > /tmp/options
ip link delete br-ex
call without_device node
INSIDE
chroot "$root" /bin/bash /run/test.sh
