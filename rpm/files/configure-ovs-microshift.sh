#!/bin/sh
# Kept for programs that still call the script of this name; microshift-net reads ovn.yaml and tunes Open vSwitch by itself.
exec /usr/bin/configure-ovs.sh "${1:-OVNKubernetes}"
