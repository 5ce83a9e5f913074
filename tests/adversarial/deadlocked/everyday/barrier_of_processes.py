#!/usr/bin/env python3
# Rank 0's two loaders and its main process meet at a barrier of multiprocessing's. One loader has
# ended by an exception, so the barrier never has three. Rank 1 waits in a collective.
# Expected: deadlock; rank 0 is to blame.
import multiprocessing
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, *(("deadlock", cause, [0]) for cause in ("self", "cycle", "host_stuck")))
processes = multiprocessing.get_context("fork")
barrier = processes.Barrier(3)


def load(which):
    for step in range(3):
        if which == 1 and step == 1:
            os._exit(1)
        barrier.wait()


if rank.number() == 0:
    for loader in range(2):
        processes.Process(target=load, args=(loader,), daemon=True).start()
job = rank.Job()
for step in range(3):
    if rank.number() == 0:
        barrier.wait()
    job.all_reduce()
    job.synchronize()
