#!/usr/bin/env python3
# Rank 0's main thread waits for its stream in a call that keeps Python's lock (PyDLL, or pybind11 without a release).
# Its checkpoint thread, which has used the device before, needs the lock to make the collective that rank 1 waits for.
# Naive view: a thread that looks again every 5 ms may act.
# Expected: deadlock; a cycle of both.
import ctypes
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, ("deadlock", "cycle", [0, 1]))
job = rank.Job()
first, second = job.world, job.split()
stream = ctypes.c_void_p()
rank.check(job.nccl.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))


def save():
    rank.check(job.nccl.cudaSetDevice(rank.number()))
    rank.check(job.nccl.cudaStreamSynchronize(stream))
    ready.set()
    event.wait()
    rank.check(job.nccl.ncclAllReduce(job.data, job.data, ctypes.c_size_t(64), 7, 0, second, stream))
    rank.check(job.nccl.cudaStreamSynchronize(stream))


event = threading.Event()
ready = threading.Event()
thread = threading.Thread(target=save)
thread.start()
ready.wait()
if rank.number() == 0:
    job.all_reduce(first)
    keeps = ctypes.PyDLL(os.environ["ADVERSARIAL_SIM"])
    event.set()
    rank.check(keeps.cudaStreamSynchronize(job.stream))
    thread.join()
else:
    event.set()
    thread.join()
    job.all_reduce(first)
    job.synchronize()
