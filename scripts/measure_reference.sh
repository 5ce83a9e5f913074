#!/usr/bin/env bash
# Measures the figures of results/reference/ on an otherwise idle machine (about 45 minutes):
#   scripts/measure_reference.sh BUILD_FOLDER [STAGE...]
# Stages, in their order. Each can be run alone:
#   once        the four scenarios, and the whole catalogue, once: how long it takes
#   idle        the catalogue, $GRIDLOCK_REPEAT times [100]
#   busy        the same with every processor kept busy, $GRIDLOCK_BUSY_REPEAT times [as idle]
#   cost        every cure beside its control, $GRIDLOCK_COST pairs [as idle, else 30]
#   benchmarks  recorder, detector, simulated collectives
#   ranks       256 ranks: time, and memory of all processes together
#   resting     the agent beside 16 ranks that sleep, of 50 threads each
# Each stage writes rows to results/reference/STAGE.tsv (what, measured, repetitions, wanted).
# results/reference/figures.md is made of all of them. The sessions are kept in BUILD_FOLDER/reference.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# > 0)) || { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(realpath "$1")
shift
gridlock=$build/gridlock
[[ -x $gridlock ]] || { echo "measure_reference.sh: there is no $gridlock; build first" >&2; exit 2; }
out=results/reference
work=$build/reference
stages=(once idle busy cost benchmarks ranks resting)
repeat=${GRIDLOCK_REPEAT:-100}
busy_repeat=${GRIDLOCK_BUSY_REPEAT:-$repeat}
pairs=${GRIDLOCK_COST:-${GRIDLOCK_REPEAT:-30}}
four='uneven_sequence_lengths stray_synchronize uneven_batches sync_batchnorm_stall'
background=()
mkdir -p "$out" "$work"
trap '((${#background[@]} == 0)) || kill "${background[@]}" 2>/dev/null || true' EXIT

row() { printf '%s\t%s\t%s\t%s\n' "$@"; }
# run NAME ARGS: a session in $work/NAME. A verdict that differs is a result, not an error.
run() {
  local code=0
  "$gridlock" run --backend sim --output "$work/$1" "${@:2}" >"$work/$1.log" 2>&1 || code=$?
  ((code <= 1)) || { tail -n 3 "$work/$1.log" >&2; echo "measure_reference.sh: $1 ended with $code" >&2; exit 3; }
}
merge() { "$gridlock" report --output "$work/$1" "${@:2}" >"$work/$1.log"; }  # NAME FOLDERS
# seconds COMMAND: how long it takes.
seconds() {
  local begin
  begin=$(date +%s%N)
  "$@"
  awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN {printf "%.1f\n", ns / 1e9}'
}
median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
number() { awk -F'[:,]' -v key="\"$2\"" '$1 ~ key {value = $2} END {printf value == int(value) ? "%d" : "%.4g", value}' "$work/$1/results.json"; }
# runs NAME: one line for each judged run: scenario, variant, role, outcome, as declared, score, noise
runs() {
  awk -F'": ' '
    function text() {gsub(/[",]/, "", $2); return $2}
    /^   "scenario"/ {s = text()} /^   "variant"/ {v = text()} /^   "role"/ {r = text()}
    /^   "status"/ {judged = /"judged"/} /^   "outcome"/ {o = text()}
    /^   "as_declared"/ {d = text()} /^   "score"/ {score = text()}
    /^   "noise"/ && judged && r {print s, v, r, o, d, score, text(); r = ""}' "$work/$1/results.json" |
    tr -d '\r'
}
# declared NAME PATTERN: "990 of 990 as declared" of the runs whose line fits the pattern
declared() { runs "$1" | awk -v pattern="$2" '$0 ~ pattern {++n; right += $5 == "true"} END {printf "%d of %d as declared", right, n}'; }
scores() {
  runs "$1" | awk '{++n[$6 + 0]; noise += $7} END {
    printf "score 5: %d, 4: %d, 3: %d, 2: %d, 1: %d, 0: %d; ranks wrongly accused: %d", n[5], n[4], n[3], n[2], n[1], n[0], noise}'
}
truths() {
  printf 'true positives %s, true negatives %s, false positives %s, false negatives %s' \
    "$(number "$1" true_positive)" "$(number "$1" true_negative)" "$(number "$1" false_positive)" "$(number "$1" false_negative)"
}
detect() {
  printf 'median %s ms, 99th percentile %s ms, greatest %s ms (n = %s)' \
    "$(number "$1" median)" "$(number "$1" percentile_99)" "$(number "$1" greatest)" "$(number "$1" deadlocks)"
}
judgement() {  # NAME REPETITIONS WHERE
  row "whole catalogue, $3" "$(truths "$1")" "$2" 'no false ones'
  row "scores of its verdicts, $3" "$(scores "$1")" "$2" 'all 5, none accused'
  row "controls and fixes, $3" "$(declared "$1" ' (control|fix) ')" "$2" 'all, in 1000 runs'
  row "broken variants and remedies, $3" "$(declared "$1" ' (broken|remedy) ')" "$2" 'all, in 1000 runs'
  row "the four scenarios, $3" "$(declared "$1" "^(${four// /|}) ")" "$2" all
  row "time to detect, all deadlocks, $3" "$(detect "$1")" "$2" 'median 5 ms, 99th 25 ms'
}

once() {
  local i
  for i in 1 2 3; do seconds run four $four; done | median >"$work/four.seconds"
  for i in 1 2 3; do seconds run all; done | median >"$work/all.seconds"
  row "four scenarios, once: $(declared four .)" "$(<"$work/four.seconds") s" 3 'under 10 s'
  row "whole catalogue, once: $(declared all .)" "$(<"$work/all.seconds") s" 3 'under 60 s'
}

# side_by_side NAME REPETITIONS ARGS: that many in all, in four sessions at once, NAME1 to NAME4.
side_by_side() {
  local i sessions=()
  for i in 1 2 3 4; do
    run "$1$i" --repeat $((($2 + 3) / 4)) "${@:3}" &
    sessions+=($!)
  done
  for i in "${sessions[@]}"; do wait "$i"; done
}

# A stall takes a second in which nothing happens. Variants that stall therefore run side by side, because
# they sleep nearly all of the time. All others run one after the other.
idle() {
  local stalling moving
  [[ -e $work/all/results.json ]] || run all
  stalling=$(runs all | awk '$4 == "stall" {print $1 "/" $2}' | sort -u)
  moving=$(runs all | awk '$4 != "stall" {print $1 "/" $2}' | sort -u)
  run moving $moving --repeat "$repeat"
  side_by_side stalling "$repeat" $stalling
  merge idle "$work"/moving "$work"/stalling{1,2,3,4}
  cp "$work/idle/report.md" "$out/catalogue.md"
  judgement idle "$repeat" idle
}

# The sessions run side by side, so they load the processors too, on top of the busy loops.
busy() {
  local i
  for ((i = 0; i < $(nproc); ++i)); do
    (while :; do :; done) &
    background+=($!)
  done
  side_by_side busy "$busy_repeat"
  kill "${background[@]}"
  wait "${background[@]}" 2>/dev/null || true
  background=()
  merge busy "$work"/busy{1,2,3,4}
  judgement busy "$busy_repeat" "all $(nproc) processors kept busy, four sessions at once"
}

cost() {
  local fixes
  fixes=$("$gridlock" list --backend sim | awk '$1 == "fix" {print $2}')
  run cost $fixes --cost "$pairs"
  sed -n '/^## Cost of the cures/,/^## What was found/p' "$work/cost/report.md" | sed '$d' >"$out/costs.md"
  row "cost of $(grep -c 'x | ' "$out/costs.md") cures" "[costs.md](costs.md): median, quartiles, the cheapest of each scenario" "$pairs pairs" '30 pairs'
}

benchmarks() {
  local name
  for name in detector_scaling recorder_cost simulated_collectives; do
    "$build/benchmarks/benchmark_$name" >"$work/$name.log" 2>/dev/null
  done
  time_of() { awk -v name="$2" '$1 ~ name {print $2, $3; exit}' "$work/$1.log"; }
  # Where the ranks' memory happens to lie matters as much as the recorder, so this is a median of 25.
  ratio() {
    local i
    for ((i = 0; i < 25; ++i)); do
      "$build/benchmarks/benchmark_recorded_all_reduce" --benchmark_filter="$1" \
        --benchmark_min_time=1.0 2>/dev/null |
        grep -oE 'ratio_median=[0-9.]+' | cut -d= -f2
    done | sort -g | awk '{v[NR] = $1} END {printf "%.3f (%.3f to %.3f)", v[int((NR + 1) / 2)], v[1], v[NR]}'
  }
  row 'recorder, host time of an all-reduce call' "$(time_of recorder_cost '^all_reduce/recorded')" 'by the benchmark' '100 ns'
  row 'all-reduce of 1 KiB, recorded over plain, waited for' "$(ratio synchronized)" 25 1.05
  row 'the same, 500 enqueued at a time' "$(ratio pipelined)" 25 1.05
  row 'verdict for 16,384 ranks, 64 operations in flight each' "$(time_of detector_scaling '^deadlocked/16384')" 'by the benchmark' '100 ms'
  row 'the same for 65,536 ranks' "$(time_of detector_scaling '^deadlocked/65536')" 'by the benchmark' linear
}

# peak_memory PID: the greatest sum of the proportional set sizes of the process and its descendants until
# it ends, in MiB, and the number of those processes.
peak_memory() {
  local pids
  while kill -0 "$1" 2>/dev/null; do
    pids=$(ps -e -o pid=,ppid= | awk -v root="$1" '
      {parent[$1] = $2}
      END {for (p in parent) {q = p; while (q in parent && q != root && q > 1) q = parent[q]; if (q == root) print "/proc/" p "/smaps_rollup"}}')
    { cat $pids 2>/dev/null || true; } | awk '/^Pss:/ {sum += $2; ++n} END {printf "%d MiB (%d processes)\n", sum / 1024, n}'
  done | sort -n | tail -n 1
}
ranks() {
  local i peak
  for i in 1 2 3; do seconds run ranks uneven_batches/drop_last -n 256; done | median >"$work/ranks.seconds"
  # Sampling takes time from the ranks, so the times come from runs without it.
  run memory uneven_batches/drop_last -n 256 --repeat 10 &
  peak=$(peak_memory $!)
  wait $!
  row "256 ranks train 8 steps: $(declared ranks .)" "$(<"$work/ranks.seconds") s" 3 '60 s'
  row 'their memory, all processes together, at its peak' "$peak" 10 'a few GiB'
}

# agent_share THREADS SECONDS: which part of a core the agent uses beside 16 ranks that sleep, in percent.
agent_share() {
  local log=$work/resting.log agent job before
  "$gridlock" watch -n 16 --output "$work/resting" -- "$build/benchmarks/benchmark_resting_job" "$1" $(($2 + 5)) >"$log" 2>&1 &
  job=$!
  until agent=$(grep -oE 'at rest for [0-9]+ s under process [0-9]+' "$log"); do kill -0 "$job"; sleep 0.2; done
  agent=${agent##* }
  ticks() { awk '{print $14 + $15}' "/proc/$agent/stat"; }
  sleep 2
  before=$(ticks)
  sleep "$2"
  awk -v ticks=$(($(ticks) - before)) -v hz="$(getconf CLK_TCK)" -v s="$2" 'BEGIN {printf "%.2f\n", 100 * ticks / hz / s}'
  wait "$job"
}
resting() {
  local none fifty
  none=$(agent_share 0 20)
  fifty=$(agent_share 50 20)
  row 'agent of 16 ranks that sleep, in all' "$fifty % of a core" '20 s' '-'
  row 'for looking at their 50 threads each' "$(awk -v a="$fifty" -v b="$none" 'BEGIN {printf "%.2f", a - b}') % of a core" '20 s' '2 %'
}

# What a measurement must not leave behind: processes of this build, and files in /dev/shm or /tmp.
traces() {
  { pgrep -f "^$build/(gridlock|scenarios/)" || true; ls -A /dev/shm; find /tmp -maxdepth 1 -name '*gridlock*'; } | sort
}
# The build's commit; "+" where its sources had been changed.
commit() { "$gridlock" run --backend sim wrong_environment/all_right --output "$work/commit" >/dev/null 2>&1; awk -F'"' '/"commit"/ {c = substr($4, 1, 12)} /"dirty": true/ {c = c "+"} END {print c}' "$work/commit/results.json"; }

figures() {
  printf 'Measured by `scripts/measure_reference.sh` on the simulation, back end sim: no figure of a GPU.\n4 ranks unless said otherwise.\n\n'
  printf '| what | measured | repetitions | wanted | commit, date, machine |\n|---|---|---|---|---|\n'
  local stage
  for stage in "${stages[@]}"; do
    [[ -e $out/$stage.tsv ]] || continue
    awk -F'\t' '/^#/ {where = substr($0, 3); next} {printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, where}' "$out/$stage.tsv"
  done
}

before=$(traces)
build_commit=$(commit)
(($# > 0)) || set -- "${stages[@]}"
for stage in "$@"; do
  [[ " ${stages[*]} " == *" $stage "* ]] || { echo "measure_reference.sh: there is no stage $stage; there are ${stages[*]}" >&2; exit 2; }
done
for stage in "$@"; do
  echo "measure_reference.sh: $stage" >&2
  { echo "# $build_commit, $(date -u +%F), $(scripts/machine.sh)"; "$stage"; } >"$work/$stage.tsv"
  left=$(comm -13 <(echo "$before") <(traces) | wc -l)
  row "left behind by this ($stage)" "$left processes, shared memories or files" 1 none >>"$work/$stage.tsv"
  mv "$work/$stage.tsv" "$out/$stage.tsv"
done
figures >"$out/figures.md"
cat "$out/figures.md"
