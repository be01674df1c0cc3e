# bash completion for microshift-net
_microshift_net() {
  local current=${COMP_WORDS[COMP_CWORD]} words='' word command='' sub=''
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* || ${COMP_WORDS[i - 1]} == --output ]] && continue
    if [[ -z $command ]]; then command=$word; elif [[ -z $sub ]]; then sub=$word; elif [[ $command/$sub == overlay/pki ]]; then sub=pki/$word; fi
  done
  case ${COMP_WORDS[COMP_CWORD - 1]} in
    --output) words='text json' ;;
    --flavor) words='auto classic no-uplink multi-node interconnect' ;;
    --kubeconfig | --directory | --output-file | -o) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    *)
      case $command/$sub in
        /) words='apply confirm undo recover history plan verify status doctor support-bundle disable bridge ovs firewall hook manifests overlay config help' ;;
        support-bundle/) words='-o --output-file' ;;
        apply/) words='--boot --repair --confirm-timeout --dry-run' ;;
        recover/) words='--boot' ;;
        bridge/) words='add remove list apply' ;;
        bridge/add) words='--name --force --confirm-timeout --dry-run' ;;
        bridge/remove) words='--confirm-timeout --dry-run' ;;
        disable/) words='--all --dry-run' ;;
        bridge/apply) words='--stop' ;;
        ovs/) words='tune' ;;
        firewall/) words='check apply' ;;
        hook/) words='post-install post-upgrade pre-uninstall' ;;
        config/) words='check show schema' ;;
        config/check | config/show) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        # Only names of transactions are offered, because bash does not quote the words.
        undo/ | history/) words=$(cd /var/lib/microshift-net/tx 2> /dev/null && for word in *; do [[ ${word%.*} =~ ^[0-9]{8}T[0-9]{6}Z-[0-9a-f]+$ ]] && echo "${word%.*}"; done) ;;
        overlay/) words='init join gateway run plan apply verify status nodes trace leave disable pki' ;;
        overlay/gateway) words='--bridge --interface --address --next-hop --vlan --subnets --high-availability --remove' ;;
        overlay/join) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        overlay/trace) words='--tcp --udp --icmp --back --from-node' ;;
        overlay/leave) words='--node' ;;
        overlay/disable) words='--force' ;;
        overlay/pki) words='init issue renew grant request rotate show' ;;
        overlay/pki/init) words='--days' ;;
        overlay/pki/issue) words='--system-id --request --days --output-file' ;;
        overlay/pki/renew) words='--request --days --output-file' ;;
        overlay/pki/request) words='--output-file' ;;
        overlay/pki/rotate) words='--finish --days' ;;
        manifests/) words='render diff apply status delete' ;;
        manifests/render) words='--flavor --image --cni-bin-dir --control-plane --directory --kustomization' ;;
        manifests/apply) words='--flavor --image --cni-bin-dir --control-plane --kubeconfig --timeout --running-image --wait --force-conflicts --unless-microshift' ;;
        manifests/diff) words='--flavor --image --cni-bin-dir --control-plane --kubeconfig --timeout --running-image' ;;
        manifests/*) words='--flavor --image --cni-bin-dir --control-plane --kubeconfig --timeout' ;;
      esac
      [[ $current == -* ]] && words="$words --output --verbose --help --version"
      ;;
  esac
  # compgen -W is not used, because it expands the words.
  COMPREPLY=()
  read -r -d '' -a words <<< "$words"
  for word in "${words[@]}"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
}
complete -F _microshift_net microshift-net
