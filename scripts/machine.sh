#!/usr/bin/env bash
# Prints one line about this machine, to stand beside a figure: processors, memory, kernel.
printf '%s x %s, %d GiB, Linux %s\n' "$(nproc)" "$(awk -F': ' '/model name/ {print $2; exit}' /proc/cpuinfo)" \
  "$(awk '/MemTotal/ {print int($2 / 1048576 + 0.5)}' /proc/meminfo)" "$(uname -r | cut -d- -f1)"
