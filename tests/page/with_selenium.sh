#!/bin/sh
# Runs a test of pages: with_selenium.sh TEST.py ARGUMENTS. Prefers the distribution's Python, which has Selenium, even if
# another Python comes first in PATH.
here=$(dirname "$0")
test=$1
shift
for python in /usr/bin/python3 python3; do
  "$python" -c 'import selenium' 2>/dev/null && exec "$python" -B "$here/$test" "$@"
done
echo "skipped: there is no Selenium for Python (python3-selenium)"
exit 77
