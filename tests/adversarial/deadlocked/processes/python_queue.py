#!/usr/bin/env python3
# Rank 0 waits for a batch from its loader, a process of Python's multiprocessing that waits for a permit which nobody
# gives. Rank 1 waits for rank 0 in a collective.
# Naive view: a semaphore lies in shared memory, so anybody may post it.
# Expected: deadlock; rank 0 is to blame, because it waits only for itself and its child.
import multiprocessing
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, *(("deadlock", cause, [0]) for cause in ("self", "cycle", "host_stuck")))
processes = multiprocessing.get_context("fork")
batches, permits = processes.Queue(), processes.Semaphore(2)


def load():
    while True:
        permits.acquire()
        batches.put("batch")


if rank.number() == 0:
    processes.Process(target=load, daemon=True).start()
job = rank.Job()
for step in range(3):
    if rank.number() == 0:
        batches.get()
    job.all_reduce()
    job.synchronize()
