#!/usr/bin/env python3
# As its deadlocked twin, but another process of rank 0 gives the loader a permit a second later.
# Naive view: rank 0 and its loader wait only for each other.
# Expected: completes.
import multiprocessing
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(True, ("completes", "", []))
processes = multiprocessing.get_context("fork")
batches, permits = processes.Queue(), processes.Semaphore(2)


def load():
    while True:
        permits.acquire()
        batches.put("batch")


def permit():
    time.sleep(1)
    permits.release()


if rank.number() == 0:
    for work in (load, permit):
        processes.Process(target=work, daemon=True).start()
job = rank.Job()
for step in range(3):
    if rank.number() == 0:
        batches.get()
    job.all_reduce()
    job.synchronize()
