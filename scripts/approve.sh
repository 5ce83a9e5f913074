#!/usr/bin/env bash
# Accepts the formats' current output: writes tests/approved again. Look at the difference before you
# commit it. Usage: scripts/approve.sh [BUILD]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
test=${1:-build/auto}/tests/test_harness_report
if [[ ! -x $test ]]; then
  echo "approve.sh: there is no $test; build it first: cmake --build ${1:-build/auto} --target test_harness_report" >&2
  exit 2
fi
GRIDLOCK_APPROVE=1 "$test" --gtest_brief=1 --gtest_filter='*ApprovedOutput*'
git --no-pager diff --stat -- tests/approved
git status --short -- tests/approved
