"""Rank 0 waits for its stream in a call that keeps Python's lock (PyDLL, or pybind11 without a release).

Its checkpoint thread needs the lock to make the collective that rank 1 waits for, and rank 1 joins rank 0's
collective only after that.
"""
import ctypes
import os
import threading

import rank


def wait_with_the_lock(before=lambda job, stream: None):
    """Each rank's checkpoint thread first calls `before`."""
    job = rank.Job()
    first, second = job.world, job.split()
    stream = ctypes.c_void_p()
    rank.check(job.nccl.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
    ready = threading.Event()
    go_on = threading.Event()

    def save():
        rank.check(job.nccl.cudaSetDevice(rank.number()))
        before(job, stream)
        ready.set()
        go_on.wait()
        rank.check(job.nccl.ncclAllReduce(job.data, job.data, ctypes.c_size_t(64), 7, 0, second, stream))
        rank.check(job.nccl.cudaStreamSynchronize(stream))

    thread = threading.Thread(target=save)
    thread.start()
    ready.wait()
    if rank.number() == 0:
        job.all_reduce(first)
        keeps = ctypes.PyDLL(os.environ["ADVERSARIAL_SIM"])
        go_on.set()
        rank.check(keeps.cudaStreamSynchronize(job.stream))
        thread.join()
    else:
        go_on.set()
        thread.join()
        job.all_reduce(first)
        job.synchronize()
