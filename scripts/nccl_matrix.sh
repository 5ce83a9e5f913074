#!/usr/bin/env bash
# Draws random points of the matrix collective x protocol x algorithm x type x operation x size x ranks x transport and
# checks each value that NCCL delivers (tests/real_nccl/programs/random_draws.cpp):
#   scripts/nccl_matrix.sh [NCCL [NUMBER [SEED]]]
# NCCL is "own" or a version that `./run_all.sh nccl VERSION` has built [2.28.9]; NUMBER of draws [1000], in jobs of 50;
# the SEED [1] decides all of it. Ends with 1 if a value was wrong or a job did not complete. One draw again, in its job's
# environment: random_draws SEED INDEX 1 DEVICES.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
nccl=${1:-2.28.9} number=${2:-1000} seed=${3:-1}
for text in "$number" "$seed"; do
  [[ $text =~ ^[1-9][0-9]{0,8}$ ]] || { echo "nccl_matrix.sh: \"$text\" is no number from 1 to 999999999" >&2; exit 2; }
done
gridlock=build/auto/gridlock program=build/auto/tests/real_nccl/programs/random_draws
for file in "$gridlock" "$program"; do
  [[ -x $file ]] || { echo "nccl_matrix.sh: there is no $file; build it: ninja -C build/auto gridlock real_nccl_random_draws" >&2; exit 2; }
done
out=build/auto/nccl_matrix
mkdir -p "$out"
shapes=(1x4 1x8 2x2 4x1 2x4 8x1)   # PROCESSESxDEVICES of each
ways=("as it chooses" "NCCL_P2P_LEVEL=SYS" "NCCL_P2P_LEVEL=SYS NCCL_CUMEM_ENABLE=0" "NCCL_P2P_DISABLE=1"
      "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1" "GRIDLOCK_SIM_TOPOLOGY=nvlink" "GRIDLOCK_SIM_TOPOLOGY=nvswitch"
      "GRIDLOCK_SIM_TOPOLOGY=sockets")
RANDOM=$((seed % 32768))
# With 32 channels to each peer, NCCL's buffers for a gather of three do not fit into a device's default memory.
export GRIDLOCK_SIM_MEMORY=${GRIDLOCK_SIM_MEMORY:-4G}
failed=0 right=0 all=0 values=0
printf '%-6s %5s %5s %10s %5s  %s\n' shape draws wrong values s way
for ((first = 0; first < number; first += 50)); do
  draws=$((number - first < 50 ? number - first : 50))
  shape=${shapes[RANDOM % ${#shapes[@]}]} way=${ways[RANDOM % ${#ways[@]}]}
  environment=()
  [[ $way == as* ]] || read -ra environment <<<"$way"
  log=$out/$nccl.$seed.$first.txt begun=$SECONDS code=0
  env "${environment[@]}" "$gridlock" watch --nccl "$nccl" --output "$out/results-$nccl" --quiet -n "${shape%x*}" -- \
    "$program" "$seed" "$first" "$draws" "${shape#*x}" >"$log" 2>&1 || code=$?
  # Each process counts the draws that it saw go wrong; one that did not finish has no such line.
  read -r finished wrong seen < <(awk '/ draws, [0-9]+ values, / {
      match($0, /[0-9]+ values/); v += substr($0, RSTART); match($0, /[0-9]+ draws wrong/); w += substr($0, RSTART); ++n
    } END { print n + 0, w + 0, v + 0 }' "$log")
  note=""
  if ((finished != ${shape%x*})); then
    failed=1 note="  did not finish, exit code $code: see $log"
  else
    bad=$(sed -nE 's/.*draw ([0-9]+) is wrong.*/\1/p' "$log" | sort -u | wc -l)
    all=$((all + draws)) right=$((right + draws - bad)) values=$((values + seen))
    ((wrong == 0 && code == 0)) || { failed=1 note="  exit code $code: see $log"; }
  fi
  printf '%-6s %5s %5s %10s %5s  %s%s\n' "$shape" "$draws" "$wrong" "$seen" $((SECONDS - begun)) "$way" "$note"
done
echo "NCCL $nccl, seed $seed: $right of $all draws right, $values values compared"
exit "$failed"
