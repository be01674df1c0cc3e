# bash completion for microshift-net
_microshift_net() {
  local current=${COMP_WORDS[COMP_CWORD]} words='' word command='' sub=''
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* || ${COMP_WORDS[i - 1]} == --output ]] && continue
    if [[ -z $command ]]; then command=$word; elif [[ -z $sub ]]; then sub=$word; fi
  done
  case ${COMP_WORDS[COMP_CWORD - 1]} in
    --output) words='text json' ;;
    --flavor) words='auto classic no-uplink multi-node' ;;
    --kubeconfig | --directory | --output-file | -o) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    *)
      case $command/$sub in
        /) words='apply confirm undo recover history plan verify status doctor support-bundle disable ovs firewall hook manifests config help' ;;
        support-bundle/) words='-o --output-file' ;;
        apply/) words='--boot --repair --confirm-timeout' ;;
        recover/) words='--boot' ;;
        ovs/) words='tune' ;;
        firewall/) words='check apply' ;;
        hook/) words='post-install post-upgrade pre-uninstall' ;;
        config/) words='check show schema' ;;
        config/check | config/show) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        undo/ | history/) words=$(cd /var/lib/microshift-net/tx 2> /dev/null && for word in *; do echo "${word%.*}"; done) ;;
        manifests/) words='render diff apply status delete' ;;
        manifests/render) words='--flavor --image --cni-bin-dir --control-plane --directory --kustomization' ;;
        manifests/apply) words='--flavor --image --cni-bin-dir --control-plane --kubeconfig --timeout --wait --force-conflicts' ;;
        manifests/*) words='--flavor --image --cni-bin-dir --control-plane --kubeconfig --timeout' ;;
      esac
      [[ $current == -* ]] && words="$words --output --verbose --help --version"
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _microshift_net microshift-net
