#!/usr/bin/env bash
# Measures what the real NCCL costs on the simulated CUDA, on an otherwise idle machine (about 10 minutes):
#   scripts/measure_real_nccl.sh BUILD_FOLDER [NCCL [STAGE...]]
# NCCL must be built and its source in ../shared/nccl (stage build) [2.28.9]. Stages, in their order:
#   interpreter  warp-instructions per second of one core, in loops like NCCL's
#   start        init of 4 ranks, the second time, and the first all-reduce after it
#   all_reduce   all-reduce of 1 KiB and 4 MiB, 4 ranks
#   hung         processor time of a rank that waits in a collective for ever
#   memory       of a rank, of 4; and 32 ranks in 8 GiB
#   build        NCCL once more, when nothing has changed
# $GRIDLOCK_REPEAT repetitions [10]. Each stage writes rows to results/reference/real_nccl_STAGE.tsv (what, measured,
# repetitions, wanted); results/reference/real_nccl.md is made of all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# > 0)) || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ -x $1/gridlock ]] || { echo "measure_real_nccl.sh: there is no $1/gridlock; build first" >&2; exit 2; }
build=$(realpath "$1") nccl=${2:-2.28.9}
stages=("${@:3}")
all=(interpreter start all_reduce hung memory build)
((${#stages[@]})) || stages=("${all[@]}")
for stage in "${stages[@]}"; do
  [[ " ${all[*]} " == *" $stage "* ]] || { echo "measure_real_nccl.sh: there is no stage $stage, only: ${all[*]}" >&2; exit 2; }
done
gridlock=$build/gridlock program=$build/tests/real_nccl/programs/costs out=results/reference
[[ -x $program ]] || { echo "measure_real_nccl.sh: there is no $program; build it: ninja -C $1 real_nccl_costs" >&2; exit 2; }
repeat=${GRIDLOCK_REPEAT:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

row() { printf '%s\t%s\t%s\t%s\n' "$@"; }
# costs RANKS KIND: what rank 0 of the program says, one figure a line
costs() {
  "$gridlock" watch --nccl "$nccl" --quiet --output "$work/results" -n "$1" -- "$program" "${@:2}" >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log" >&2; echo "measure_real_nccl.sh: costs ${*:2} did not complete" >&2; exit 3; }
  sed -nE 's/^\[rank 0\] costs: //p' "$work/log"
}
repeated() { for ((n = 0; n < repeat; ++n)); do costs "$@"; done; }
# column N UNIT: median, least and greatest of a column
column() {
  cut -d' ' -f"$1" "$work/figures" | sort -g | awk -v unit="$2" \
    '{v[NR] = $1} END {printf "%.4g %s (%.4g to %.4g)\n", v[int((NR + 1) / 2)], unit, v[1], v[NR]}'
}

measure_interpreter() {
  "$build/benchmarks/benchmark_ptx_interpreter" --benchmark_format=csv --benchmark_repetitions="$repeat" \
    --benchmark_report_aggregates_only=true 2>/dev/null >"$work/csv"
  awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) {gsub(/"/, "", $i); if ($i == "warp_instructions") c = i}}
           NR > 1 {if (!c || $c <= 0) exit 3; gsub(/"/, "", $1)
                   if (sub(/_median$/, "", $1)) print $1, $c}' "$work/csv" | while read -r name rate; do
    row "interpreter, $name" "$(awk -v r="$rate" 'BEGIN {printf "%.1f million warp-instructions/s", r / 1e6}')" "$repeat" ">= 20 million"
  done
}
measure_start() {
  costs 4 start >/dev/null  # the first time: kernels may have to be compiled
  repeated 4 start >"$work/figures"
  row "init of 4 ranks, the second time" "$(column 1 ms)" "$repeat" "1500 ms"
  row "first all-reduce after it" "$(column 2 ms)" "$repeat" "300 ms"
}
measure_all_reduce() {
  repeated 4 all_reduce 256 100 >"$work/figures"
  row "all-reduce of 1 KiB, 4 ranks, median of 100" "$(column 1 ms)" "$repeat" "2 ms"
  repeated 4 all_reduce 1048576 10 >"$work/figures"
  row "all-reduce of 4 MiB, 4 ranks, median of 10" "$(column 1 ms)" "$repeat" "80 ms"
}
measure_hung() {
  repeated 4 hung >"$work/figures"
  row "processor time of a rank in a collective that waits for ever, 5 s" "$(column 1 '% of a core')" "$repeat" "5 % of a core"
  row "its threads that used most" "$(costs 4 hung | cut -d' ' -f2-)" 1 "-"
}
measure_memory() {
  repeated 4 memory >"$work/figures"
  row "memory of a rank of 4 (its share of what is shared counted in part: PSS)" "$(column 1 MiB)" "$repeat" "150 MiB"
  costs 32 memory >"$work/figures"
  row "memory of all of 32 ranks" "$(column 2 MiB)" 1 "8 GiB"
}
measure_build() {
  for ((n = 0; n < repeat; ++n)); do
    local begun; begun=$(date +%s%N)
    python3 nccl/build.py "$nccl" --source ../shared/nccl --out "$build/nccl" --headers sim/include --cuda "$build" >"$work/log" 2>&1 ||
      { tail -n 5 "$work/log" >&2; exit 3; }
    awk -v ns=$(($(date +%s%N) - begun)) 'BEGIN {print ns / 1e9}'
  done >"$work/figures"
  row "build of NCCL when nothing has changed" "$(column 1 s)" "$repeat" "5 s"
}

for stage in "${stages[@]}"; do
  "measure_$stage" | sed "s|\$|\t$(git rev-parse --short=12 HEAD), $(date -u +%F), NCCL $nccl, $(scripts/machine.sh)|" \
    >"$work/$stage.tsv"
  cp "$work/$stage.tsv" "$out/real_nccl_$stage.tsv"
done
{
  echo "Measured by \`scripts/measure_real_nccl.sh\`: the real NCCL on the simulated CUDA, no figure of a GPU."
  printf '\n| what | measured | repetitions | wanted | commit, date, NCCL, machine |\n|---|---|---|---|---|\n'
  for stage in "${all[@]}"; do
    [[ ! -f $out/real_nccl_$stage.tsv ]] || sed 's/\t/ | /g; s/^/| /; s/$/ |/' "$out/real_nccl_$stage.tsv"
  done
} >"$out/real_nccl.md"
