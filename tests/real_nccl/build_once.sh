#!/usr/bin/env bash
# Builds NCCL for the tests. 77: cannot, with the reason. Arguments: python, source tree, build tree, version.
set -euo pipefail
python=$1 root=$2 build=$3 version=$4
source=$root/../shared/nccl
if [[ ! -d $source ]]; then
  echo "skipped: there is no source of NCCL in ../shared/nccl"
  exit 77
fi
if ! "$python" -c "import sys; sys.path.insert(0, '$root/nccl'); from steps import tools; tools.clang()" 2>/dev/null; then
  echo "skipped: there is no clang 19 or newer"
  exit 77
fi
exec "$python" "$root/nccl/build.py" "$version" --source "$source" --out "$build/nccl" --headers "$root/sim/include" \
  --cuda "$build"
