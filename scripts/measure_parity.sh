#!/usr/bin/env bash
# Measures docs/parity.md: how the catalogue ends on our own NCCL and on the real one, setting by setting.
#   scripts/measure_parity.sh VERSION [SETTING...] [-- NAMES of `gridlock run`]
# The version must be built (./run_all.sh nccl VERSION). Settings: defaults sockets shm connected hosts (which
# needs root); all of them but hosts if none is named. Exit: 1 if a scenario does not declare a difference.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=${1:?which version? as in: scripts/measure_parity.sh 2.28.9}
shift
settings=()
while (($# > 0)) && [[ $1 != -- ]]; do settings+=("$1"); shift; done
[[ ${1-} != -- ]] || shift
((${#settings[@]} > 0)) || settings=(defaults sockets shm connected)
gridlock=build/auto/gridlock
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What each setting is for NCCL, and what it shows.
declare -A variables=(
  [defaults]=""
  [sockets]="NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1"
  [shm]="NCCL_P2P_DISABLE=1"
  [connected]="NCCL_RUNTIME_CONNECT=0"
  [hosts]=""
)
declare -A titles=(
  [defaults]="Default settings (shared memory)"
  [sockets]="Sockets only (\`NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1\`)"
  [shm]="Shared memory only (\`NCCL_P2P_DISABLE=1\`)"
  [connected]="Connected in the init (\`NCCL_RUNTIME_CONNECT=0\`)"
  [hosts]="Two simulated hosts (\`--hosts 2\`)"
)
declare -A options=([hosts]="--hosts 2")
for setting in "${settings[@]}"; do
  [[ -v titles[$setting] ]] || { echo "measure_parity.sh: there is no setting $setting, only: ${!titles[*]}" >&2; exit 2; }
done

code=0
# A verdict that differs ends a run with 1; the comparison tells which.
"$gridlock" run --backend sim --quiet --output "$folder/own" "$@" >/dev/null || true
{
  sed '/<!-- measured -->/q' docs/parity.md
  echo
  echo "NCCL $version on the simulated CUDA; $(scripts/machine.sh); one repetition; commit $(git rev-parse --short HEAD), $(date -u +%F)."
  for setting in "${settings[@]}"; do
    read -ra given <<<"${variables[$setting]}"
    read -ra asked <<<"${options[$setting]-}"
    env "${given[@]}" "$gridlock" run --nccl "$version" "${asked[@]}" --quiet --output "$folder/$setting" "$@" >"$folder/$setting.txt" || true
    printf '\n## %s\n\n' "${titles[$setting]}"
    "$gridlock" compare --parity "$folder/own" "$folder/$setting" --markdown "$folder/$setting.md" >/dev/null || code=1
    cat "$folder/$setting.md"
    echo
    # The summary is wrapped for a terminal.
    sed -n '/^Time to detect/,/^true positives/p' "$folder/$setting.txt" | tr '\n' ' ' |
      sed -E 's/^/- /; s/ ([0-9]+ runs:)/\n- \1/; s/ (true positives)/\n- \1/; s/ *$/\n/'
  done
} >"$folder/parity.md"
cp "$folder/parity.md" docs/parity.md
exit "$code"
