#!/usr/bin/env bash
# Fetches the programs of others that tests/formats holds our files against, into build/checkers.
# What cannot be had is named, and its test skips.
# Usage: scripts/get_checkers.sh [--torch]     --torch: PyTorch's analyzer too (75 MB to download)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
into=build/checkers
mkdir -p "$into"
seconds=120

has() { printf '%-18s %s\n' "$1" "$2"; }

# Perfetto's package brings Python, and fetches its trace_processor at the first use.
venv=$into/venv
[[ -x $venv/bin/python ]] || python3 -m venv "$venv" 2>/dev/null
if timeout $seconds "$venv/bin/python" -m pip install -q perfetto 2>/dev/null &&
   timeout $seconds "$venv/bin/python" - "$PWD/tests/approved/trace.json" >/dev/null 2>&1 <<'PYTHON'
import sys
from perfetto.trace_processor import TraceProcessor
TraceProcessor(trace=sys.argv[1]).close()
PYTHON
then has trace_processor "ready"; else has trace_processor "cannot be had"; fi

schema=$into/sarif-schema-2.1.0.json
[[ -s $schema ]] ||
  timeout $seconds curl -fsSL -o "$schema.new" \
    https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json 2>/dev/null &&
  { [[ -s $schema ]] || mv "$schema.new" "$schema"; }
rm -f "$schema.new"
[[ -s $schema ]] && has "SARIF schema" ready || has "SARIF schema" "cannot be had"

# The analyzer is Python alone, so any platform's package will do: the smallest.
if [[ ${1-} == --torch && ! -d $into/flight_recorder/torch ]]; then
  wheel=$(mktemp -d "${TMPDIR:-/tmp}/gridlock-torch-XXXXXX")
  trap 'rm -rf "$wheel"' EXIT
  timeout 600 python3 -m pip download -q --no-deps --only-binary=:all: --platform macosx_14_0_arm64 --platform macosx_11_0_arm64 \
    --python-version 3.11 --dest "$wheel" torch==2.10.0 2>/dev/null &&
    python3 -m zipfile -e "$wheel"/torch-*.whl "$wheel/all" &&
    mkdir -p "$into/flight_recorder/torch/distributed" &&
    cp -r "$wheel/all/torch/distributed/flight_recorder" "$into/flight_recorder/torch/distributed/"
fi
[[ -d $into/flight_recorder/torch ]] && has fr_trace ready || has fr_trace "not asked for, or cannot be had (--torch)"

if python3 -c 'import jsonschema' 2>/dev/null; then has jsonschema ready; else has jsonschema "package python3-jsonschema"; fi
if command -v promtool >/dev/null; then has promtool ready; else has promtool "package prometheus"; fi
if [[ -e /usr/share/benchmark/compare.py ]]; then has compare.py ready; else has compare.py "package libbenchmark-tools"; fi
