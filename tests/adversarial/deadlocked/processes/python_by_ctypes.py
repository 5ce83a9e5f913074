#!/usr/bin/env python3
# Two communicators are crossed on one stream by Python through ctypes, as frameworks reach NCCL through a
# handle of their own (dlopen, dlsym): no symbol of NCCL is bound in the program.
# Naive view: calls that do not come by the preloaded names are not recorded.
# Expected: deadlock; a cycle of both.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, ("deadlock", "cycle", [0, 1]))
job = rank.Job()
first, second = job.world, job.split()
for communicator in (first, second) if rank.number() == 0 else (second, first):
    job.all_reduce(communicator)
job.synchronize()
