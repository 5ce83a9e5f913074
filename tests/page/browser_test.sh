#!/bin/sh
# Prefers the distribution's Python, which has Selenium, even if another Python comes first in PATH.
here=$(dirname "$0")
for python in /usr/bin/python3 python3; do
  "$python" -c 'import selenium' 2>/dev/null && exec "$python" -B "$here/browser_test.py" "$@"
done
echo "skipped: there is no Selenium for Python (python3-selenium)"
exit 77
