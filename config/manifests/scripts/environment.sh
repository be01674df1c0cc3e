#!/bin/bash
# Sets the variables of the ConfigMap env-overrides, which an administrator can create for debugging. The other scripts
# source this file. The key _master applies to every pod. The key with the name of a node applies to the pods of that
# node, and takes precedence.

for overrides in /env/_master "/env/${K8S_NODE:-}"; do
  if [[ -f $overrides ]]; then
    set -o allexport
    # shellcheck source=/dev/null
    source "$overrides"
    set +o allexport
  fi
done

# Options with which a daemon of OVN writes its log only to the container's output, with a time whose text sorts.
# shellcheck disable=SC2034 # The scripts that source this file use the variable.
console_log=("-vconsole:${OVN_LOG_LEVEL:-info}" -vfile:off
  '-vPATTERN:console:%D{%Y-%m-%dT%H:%M:%S.###Z}|%05N|%c%T|%p|%m')
