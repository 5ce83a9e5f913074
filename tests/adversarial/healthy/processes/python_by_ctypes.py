#!/usr/bin/env python3
# Two ranks in Python reach NCCL through ctypes (dlopen, dlsym on a handle of their own) and train; rank 1 is
# late in every second step.
# Expected: completes.
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(True, ("completes", "", []))
job = rank.Job()
for step in range(4):
    if rank.number() == 1 and step % 2 == 0:
        time.sleep(0.2)
    job.all_reduce()
    job.synchronize()
