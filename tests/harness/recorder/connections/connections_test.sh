#!/usr/bin/env bash
# A program with three times as many streams as connections completes with and without the recorder, and
# the same streams hold each other up.
#   connections_test.sh PROGRAM GRIDLOCK      Exit: 77 without a GPU
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_DEVICE_MAX_CONNECTIONS=4
fail() { echo "$*" >&2; cat "$work"/* >&2 2>/dev/null; exit 1; }

code=0
"$1" >"$work/alone" 2>"$work/errors" || code=$?
((code != 77)) || { cat "$work/errors" >&2; exit 77; }
((code == 0)) || fail "without the recorder: exit code $code"
"$2" watch -n 1 --output "$work/out" --json "$work/results" -- "$1" >"$work/log" 2>&1 ||
  fail "with the recorder: exit code $?"
grep -q '"outcome": "completes"' "$work/results" || fail "with the recorder it does not complete"
! grep -q '"backend": "watch"' "$work/results" || fail "nothing was recorded"
grep '^stream ' "$work/log" >"$work/recorded" || fail "with the recorder it says nothing"
[[ $(wc -l <"$work/alone") == 11 ]] || fail "not every stream was looked at"
diff "$work/alone" "$work/recorded" || fail "the recorder changes which streams hold each other up"
