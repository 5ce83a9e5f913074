#!/bin/sh
# Runs a command and writes its exit status to FOLDER/status.<its number in the job>, because mpiexec's own
# status says little. Ends like the command, even by the same signal.  noted.sh FOLDER COMMAND...
file=$1/status.${PMI_RANK:-${SLURM_PROCID:-0}}
shift
trap : INT TERM HUP  # not ignored, because the command would inherit that
"$@" &
child=$!
status=256
while [ "$status" -ge 128 ] && kill -0 "$child" 2>/dev/null || [ "$status" -eq 256 ]; do
  wait "$child"
  status=$?
done
echo "$status" >"$file.new" && mv "$file.new" "$file"
if [ "$status" -ge 128 ]; then
  trap - INT TERM HUP
  kill "-$((status - 128))" $$
fi
exit "$status"
