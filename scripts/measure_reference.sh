#!/usr/bin/env bash
# Measures what results/reference/figures.md shows, on an otherwise idle machine (some minutes):
#   scripts/measure_reference.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "${1:?usage: scripts/measure_reference.sh BUILD_FOLDER}")
out=results/reference
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

four='uneven_sequence_lengths stray_synchronize uneven_batches sync_batchnorm_stall'
# A stall is told by the stall limit, one second: a few repetitions do.
proven=$("$build"/gridlock list --backend sim $four | awk '$1 ~ /broken|remedy|fix|control/ {print $2}' |
         grep -vE 'stuck_rank|barrier_instead|sync_before_host_signal')
repeat=${GRIDLOCK_REPEAT:-60}

run() { # NAME ARGS: the summary line of a run, and its results
  "$build"/gridlock run --backend sim --output "$work/$1" "${@:2}" >"$work/$1.log" 2>&1 || true
  grep 'true positives' "$work/$1.log"
}
# Median, 99th percentile and number of the times to detect of the deadlocks in a results file.
detect() {
  awk '/"outcome"/ {dead = /"deadlock"/} /"time_to_detect_ms"/ && dead {gsub(/[^0-9.]/, "", $2); print $2}' \
    "$work/$1/results.json" | sort -g |
    awk '{t[NR] = $1} END {printf "median %.2f ms, 99th percentile %.1f ms, n = %d", t[int((NR + 1) / 2)], t[int(NR * 0.99 + 0.5)], NR}'
}
busy() { for _ in $(seq "$(nproc)"); do (while :; do :; done) & done; }

begin=$(date +%s%N); once=$(run once $four); once_s=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN {printf "%.1f s", ns / 1e9}')
idle=$(run idle $proven --repeat "$repeat"); idle_detect=$(detect idle)
begin=$(date +%s%N); all=$(run all); all_s=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN {printf "%.1f s", ns / 1e9}'); all_detect=$(detect all)
/usr/bin/time -f '%e s' -o "$work/scale.time" "$build"/gridlock run uneven_batches/drop_last -n 256 --output "$work/scale" >"$work/scale.log" 2>&1 || true
scale=$(grep 'true positives' "$work/scale.log")
for name in detector_scaling recorder_cost recorded_all_reduce simulated_collectives; do
  "$build/benchmarks/benchmark_$name" --benchmark_out="$out/$name.json" --benchmark_out_format=json >"$work/$name.log" 2>/dev/null
done
detector=$(awk '/^deadlocked\/16384/ {print $2, $3}' "$work/detector_scaling.log")
detector_large=$(awk '/^deadlocked\/65536/ {print $2, $3}' "$work/detector_scaling.log")
recorder=$(awk '/^all_reduce\/recorded/ {print $2, $3}' "$work/recorder_cost.log")
synchronized=$(grep synchronized "$work/recorded_all_reduce.log" | grep -oP 'ratio_median=\K.*')
pipelined=$(grep pipelined "$work/recorded_all_reduce.log" | grep -oP 'ratio_median=\K.*')
busy; loaded=$(run busy $proven --repeat "$repeat"); loaded_detect=$(detect busy); kill $(jobs -p); wait 2>/dev/null || true

cp "$work/idle/report.md" "$out/four_scenarios.md"
cp "$work/all/report.md" "$out/catalogue.md"
cat >"$out/figures.md" <<EOF
Measured $(date -u +%F) with scripts/measure_reference.sh: back end sim, commit $(git rev-parse --short=12 HEAD),
$(nproc) x $(awk -F': ' '/model name/ {print $2; exit}' /proc/cpuinfo), 4 ranks unless said otherwise. Simulated: no figure of a GPU.

| what | measured | wanted |
|---|---|---|
| four scenarios, once ($once) | $once_s | under 10 s |
| whole catalogue, once ($all) | $all_s | under 60 s |
| time to detect, deadlocks of the four, idle | $idle_detect | median 5 ms, 99th 25 ms |
| the same, both cores kept busy | $loaded_detect | |
| time to detect, all deadlocks of the catalogue, once each | $all_detect | median 5 ms, 99th 25 ms |
| verdicts of the four, $repeat repetitions, idle | $idle | all as declared |
| the same, both cores kept busy | $loaded | all as declared |
| recorder, host time of an all-reduce call | $recorder | 100 ns |
| all-reduce of 1 KiB, recorded over plain, waited for | $synchronized | 1.05 |
| the same, 500 enqueued at a time | $pipelined | 1.05 |
| verdict for 16,384 ranks, 64 operations in flight each | $detector | 100 ms |
| the same for 65,536 ranks | $detector_large | linear |
| 256 ranks train 8 steps (${scale%%;*}) | $(cat "$work/scale.time") | 60 s |
EOF
cat "$out/figures.md"
