#!/bin/bash
# Adapts the disk of the second node: its kubelet uses the API server of the first node, and state of the first node's pods is removed. Runs in the
# folder with the disk:
#   edit-second.sh NAME ADDRESS
set -eu
rm -rf var/lib/{kubelet,ovnk}/* var/lib/etcd var/log/kubelet etc/cni
sed -i 's/localhost/192.0.2.50/' testnode/kube/admin.kubeconfig var/lib/microshift/resources/kubeadmin/kubeconfig
sed -i "s/kubelet.js .*/kubelet.js $1 $2 \/testnode\/kube 192.0.2.50:6443/" etc/systemd/system/kubelet.service
ln -sfn /dev/null etc/systemd/system/kube.service
