#!/usr/bin/env python3
# Rank 0 asks multiprocessing's manager for an item of its queue; another process puts it there two seconds later.
# Naive view: rank 0 and the manager wait for each other at a local socket.
# Expected: completes.
import multiprocessing
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(True, ("completes", "", []))
processes = multiprocessing.get_context("fork")


def put(queue):
    time.sleep(3)
    queue.put("item")


queue = None
if rank.number() == 0:
    manager = processes.Manager()
    queue = manager.Queue()
    processes.Process(target=put, args=(queue,), daemon=True).start()
job = rank.Job()
for step in range(2):
    if queue and step == 1:
        queue.get()
    job.all_reduce()
    job.synchronize()
