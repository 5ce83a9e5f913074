#!/usr/bin/env bash
# Makes docs/images/*.png again: runs a few scenarios, and takes screenshots of their page in a headless
# Chromium. Usage: scripts/screenshots.sh BUILD. Look at the images before you commit them.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ $# == 1 && -x $1/gridlock ]] || {
  echo "usage: scripts/screenshots.sh BUILD (a folder with a built gridlock, as build/auto)" >&2
  exit 2
}
for python in /usr/bin/python3 python3; do
  "$python" -c 'import selenium' 2>/dev/null && break
done
results=$(mktemp -d "${TMPDIR:-/tmp}/gridlock-screenshots-XXXXXX")
trap 'rm -rf "$results"' EXIT
"$1/gridlock" run uneven_batches interleaved_communicators --output "$results" >"$results/log" || true
[[ -e $results/index.html ]] || { cat "$results/log" >&2; exit 1; }
mkdir -p "$source/docs/images"
"$python" -B "$source/scripts/screenshots.py" "$results/index.html" "$source/docs/images"
