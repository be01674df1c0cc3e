#!/bin/bash
# Sourced by the other scripts: sets the variables that an admin put into the ConfigMap env-overrides for debugging.
# Its key _master applies to every pod, and then a node's name to the pods of that node.

for overrides in /env/_master "/env/${K8S_NODE:-}"; do
  if [[ -f $overrides ]]; then
    set -o allexport
    # shellcheck source=/dev/null
    source "$overrides"
    set +o allexport
  fi
done

# Logs go to the container's output only, with the time in a form that sorts.
# shellcheck disable=SC2034 # the scripts that source this one use it
console_log=("-vconsole:${OVN_LOG_LEVEL:-info}" -vfile:off
  '-vPATTERN:console:%D{%Y-%m-%dT%H:%M:%S.###Z}|%05N|%c%T|%p|%m')
