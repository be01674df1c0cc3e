# shellcheck shell=bash
# Functions for the lists of connections: they repeat each request until an answer arrives or the time for all requests is over.
# Prints "name ok" or "name -" for each connection. The array `from` is a command prefix that runs a command at the source of the connection.
deadline=$(($(date +%s) + $1))
from=()
of() { kubectl --kubeconfig /testnode/kube/admin.kubeconfig -n default get "$@"; }

says() {
  local answer
  answer=$("${from[@]}" timeout 2 node /testnode/ovnkube/ask.mjs "$1" "$2") && [[ $answer == "$3"* ]]
}
pings() { "${from[@]}" ping -n -q -c 1 -W 1 "${@:2}" "$1" > /dev/null 2>&1; }
try() {
  local name=$1
  shift
  until "$@"; do
    if (($(date +%s) >= deadline)); then echo "$name -"; return; fi
    sleep 0.2
  done
  echo "$name ok"
}
