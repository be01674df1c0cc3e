# shellcheck shell=bash
# Sourced by the lists of connections: asks again and again until an answer comes or the time is over that all of them have together.
# Prints "name ok" for each, or "name -". The array `from` is where the question comes from: a command that runs another one there.
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
