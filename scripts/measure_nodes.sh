#!/usr/bin/env bash
# Measures the figures of results/reference/nodes.md (about 20 minutes; needs root, iproute2, mpich). The
# hosts are network namespaces of this machine:
#   scripts/measure_nodes.sh BUILD_FOLDER [STAGE...]
# Stages: same    the whole catalogue over two hosts beside one, $GRIDLOCK_REPEAT times [1]
#         detect  time to detect with 1 ms of network delay, six deadlocks $GRIDLOCK_DETECT times each [50]
#         faults  cuts and kills at $GRIDLOCK_TRIALS random moments [100]
#         scale   agent 0's work for 100, 1,000 and 10,000 agents
# Each stage writes rows to results/reference/nodes_STAGE.tsv (what, measured, wanted), with the load of
# the machine when the stage began. nodes.md is made of all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# > 0)) || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(realpath "$1")
shift
out=results/reference
programs=$build/tests/nodes/programs
work=$build/reference
stages=(same detect faults scale)
mkdir -p "$out" "$work"
[[ -x $programs/measure_agents ]] || { echo "measure_nodes.sh: there is no $programs/measure_agents; build first" >&2; exit 2; }

row() { printf '%s\t%s\t%s\n' "$@"; }

same() {
  row 'catalogue over 2 hosts x 2 ranks beside 1 x 4' \
    "$("$programs/measure_agents" same --repeat "${GRIDLOCK_REPEAT:-1}" 2>"$work/nodes_same.log")" 'identical verdicts'
}
detect() {
  row 'time to detect over 2 hosts, 1 ms each way' \
    "$("$programs/measure_agents" detect uneven_batches/peers_{leave,move_on_other_shape} \
      stray_synchronize/{crossed_with_sync,sync_as_probe} collective_mismatch/other_{call,count} \
      --repeat "${GRIDLOCK_DETECT:-50}")" 'median 10 ms, 99th 50 ms'
}
faults() {
  "$programs/measure_faults" "${GRIDLOCK_TRIALS:-100}" >"$work/faults.tsv" 2>"$work/faults.log"
  local fault
  for fault in cut kill_agent kill_guard; do
    # A killed guard takes its agent with it, and hydra then kills all processes: only hydra can report it.
    row "$fault at a random moment" "$(awk -F'\t' -v fault="$fault" '
      $1 == fault {
        ++n; told += $6 == 3 && $10 == "true" || fault == "kill_guard" && $6 < 0 && $7 > 0
        left += $12; if ($8 > ended) ended = $8; if ($9 > gone) gone = $9}
      END {printf "%d of %d told (exit 3, the agent named%s), at the latest after %.0f ms; nothing left after %.0f ms, %d processes stay",
           told, n, fault == "kill_guard" ? ", or mpiexec fails" : "", ended, gone, left}' "$work/faults.tsv")" 'all, within 3 s'
  done
}
scale() {
  local agents
  "$build/benchmarks/benchmark_agents_scale" 2>/dev/null >"$work/agents_scale.log"
  for agents in 100 1000 10000; do
    row "snapshot to verdict, $agents agents x 8 ranks, one core" "$(awk -v name="^verdict/$agents/" '$1 ~ name {
      printf "%s %s; bytes of an agent in a round: ", $2, $3
      for (i = 7; i <= NF; ++i) if (sub(/^bytes_/, "", $i)) printf "%s ", $i}' "$work/agents_scale.log")" \
      "$([[ $agents == 1000 ]] && echo '200 ms, 1 KiB unchanged' || echo linear)"
  done
}

load() { cut -d' ' -f1 /proc/loadavg; }
(($# > 0)) || set -- "${stages[@]}"
for stage in "$@"; do
  [[ " ${stages[*]} " == *" $stage "* ]] || { echo "measure_nodes.sh: there is no stage $stage; there are ${stages[*]}" >&2; exit 2; }
done
for stage in "$@"; do
  echo "measure_nodes.sh: $stage" >&2
  { echo "# $(git rev-parse --short HEAD), $(date -u +%F), load $(load), $(scripts/machine.sh)"; "$stage"; } >"$work/nodes_$stage.tsv"
  mv "$work/nodes_$stage.tsv" "$out/nodes_$stage.tsv"
done
{
  printf 'Measured by `scripts/measure_nodes.sh`: hosts are network namespaces of one machine, ranks are simulated.\n\n'
  printf '| what | measured | wanted | commit, date, load, machine |\n|---|---|---|---|\n'
  for stage in "${stages[@]}"; do
    [[ -e $out/nodes_$stage.tsv ]] || continue
    awk -F'\t' '/^#/ {where = substr($0, 3); next} {printf "| %s | %s | %s | %s |\n", $1, $2, $3, where}' "$out/nodes_$stage.tsv"
  done
} >"$out/nodes.md"
cat "$out/nodes.md"
