#!/bin/sh
# Hydra uses this in place of ssh: enter_host.sh [-x] HOST COMMAND...   HOST is a namespace of the field.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter -t "$(cat "/run/gridlock-field/hosts/$host")" -n -u -- sh -c "$*"
