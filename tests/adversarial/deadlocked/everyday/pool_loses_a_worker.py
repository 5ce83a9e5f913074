#!/usr/bin/env python3
# Rank 0 maps over a pool (multiprocessing.Pool), one of whose workers is killed in the middle of its
# task (out of memory). The pool starts another worker, but the task is lost, and map() waits for
# ever. Rank 1 waits in a collective.
# Expected: deadlock; rank 0 is to blame.
import multiprocessing
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, *(("deadlock", cause, [0]) for cause in ("self", "cycle", "host_stuck")))


def decode(item):
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


processes = multiprocessing.get_context("fork")
pool = processes.Pool(2) if rank.number() == 0 else None
job = rank.Job()
for step in range(3):
    if pool and step == 1:
        pool.map(decode, range(6), chunksize=1)
    job.all_reduce()
    job.synchronize()
