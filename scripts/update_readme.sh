#!/usr/bin/env bash
# Puts current output into README.md, between its markers:
#   scripts/update_readme.sh BUILD_FOLDER [RESULTS]   RESULTS: answers the claims from these [runs them]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
gridlock=$(realpath "${1:?usage: scripts/update_readme.sh BUILD_FOLDER [RESULTS]}")/gridlock
claims=(--backend sim --repeat 12)
[[ -z ${2-} ]] || claims=(--from "$(realpath "$2")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block NAME: replaces what stands between the markers of NAME with standard input.
block() {
  cat >"$work/block"
  awk -v name="$1" -v file="$work/block" '
    $0 == "<!-- end " name " -->" { while ((getline line < file) > 0) print line; inside = 0 }
    !inside { print }
    $0 == "<!-- begin " name " -->" { inside = 1 }' README.md >"$work/readme"
  cat "$work/readme" >README.md
}
fenced() { printf '```\n'; cat; printf '```\n'; }

"$gridlock" run uneven_batches --backend sim --output "$work/results" >"$work/run" 2>&1
{ echo '$ gridlock run uneven_batches'; sed -n '/^$/,$p' "$work/run" | sed '1d;/^Results:/d'; } | fenced | block run
awk '/^### `uneven_batches\/peers_leave`/ { wanted = 1 } wanted && /^```$/ { fence++; next }
     wanted && fence == 1 { print } fence == 2 { exit }' "$work/results/report.md" | fenced | block verdict
"$gridlock" list --backend sim --markdown | block catalogue
"$gridlock" claims "${claims[@]}" --markdown --output "$work/claims" | block claims
sed 's|](costs.md)|](results/reference/costs.md)|' results/reference/figures.md | block figures
