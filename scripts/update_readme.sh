#!/usr/bin/env bash
# Puts current output into README.md, docs/README.md, docs/catalogue.md and docs/claims.md, between their
# markers:
#   scripts/update_readme.sh BUILD_FOLDER [RESULTS]   RESULTS: answers the claims [default: runs them]
# The build needs the targets gridlock, gridlock_recorder, gridlock_gpus and gridlock_scenarios_sim.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "${1:?usage: scripts/update_readme.sh BUILD_FOLDER [RESULTS]}")
gridlock=$build/gridlock
claims=(--backend sim --repeat 12)
[[ -z ${2-} ]] || claims=(--from "$(realpath "$2")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block FILE NAME: replaces the text between the markers of NAME in FILE with standard input.
block() {
  cat >"$work/block"
  [[ -s $work/block ]] || { echo "update_readme.sh: there is nothing to put into block $2 of $1" >&2; exit 3; }
  grep -qxF "<!-- begin $2 -->" "$1" || { echo "update_readme.sh: $1 has no block $2" >&2; exit 3; }
  awk -v name="$2" -v file="$work/block" '
    $0 == "<!-- end " name " -->" { while ((getline line < file) > 0) print line; inside = 0 }
    !inside { print }
    $0 == "<!-- begin " name " -->" { inside = 1 }' "$1" >"$work/page"
  cat "$work/page" >"$1"
}
fenced() { printf '```\n'; cat; printf '```\n'; }
# accepts COMMAND: a verdict that differs (1) is output like any other; other faults are not.
accepts() {
  local code=0
  "$@" || code=$?
  ((code <= 1)) || { echo "update_readme.sh: $* ended with $code" >&2; exit 3; }
}

accepts "$gridlock" run uneven_batches --backend sim --output "$work/results" >"$work/run" 2>&1
{ echo '$ gridlock run uneven_batches'; sed -n '/^$/,$p' "$work/run" | sed '1d;/^Results:/d;/^Page:/d'; } | fenced | block README.md run

# A program that declares nothing, so that the detector sees its hang as it would see a user's.
(cd "$build" && accepts "$gridlock" watch -n 4 --output "$work/watch" -- \
  scenarios/sim/sync_batchnorm_stall eval_on_one_rank) >"$work/watch.txt"
{ echo '$ gridlock watch -n 4 -- scenarios/sim/sync_batchnorm_stall eval_on_one_rank'
  sed '/^$/d;/^Results:/d;/^Page:/d' "$work/watch.txt"; } | fenced | block README.md watch

# The most important rows of the reference measurement: what, measured, how often.
for stage in busy benchmarks; do
  awk -F'\t' '/^(whole catalogue|time to detect|recorder, host time|verdict for 16,384)/ {
    printf "- %s: %s%s\n", $1, $2, $3 ~ /^[0-9]+$/ ? "; " $3 " repetitions" : ""}' "results/reference/$stage.tsv"
done | block docs/README.md measured

"$gridlock" list --backend sim --markdown | block docs/catalogue.md catalogue
accepts "$gridlock" claims "${claims[@]}" --markdown --output "$work/claims" >"$work/claims.md"
answered=$work/claims/results.json
[[ -z ${2-} ]] || answered=${claims[1]}
[[ ! -d $answered ]] || answered=$answered/results.json
{ awk -F'"' '$2 ~ /^(date|backend|commit|cpu)$/ && !seen[$2]++ {context[$2] = $4}
    END {printf "Back end %s, commit %s, %s, %s.\n\n", context["backend"], substr(context["commit"], 1, 12), substr(context["date"], 1, 10), context["cpu"]}' "$answered"
  cat "$work/claims.md"; } | block docs/claims.md claims
