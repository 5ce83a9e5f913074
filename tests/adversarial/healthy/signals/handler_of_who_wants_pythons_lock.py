#!/usr/bin/env python3
# Rank 0's trainer waits for Python's lock. The thread that holds it reads what the trainer's handler, which computes
# for a second, will write. A third thread waits for rank 1, which waits for the trainer.
# Naive view: who waits for Python's lock and is awake only looks whether it is free.
# Expected: completes.
import ctypes
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(True, ("completes", "", []))
plugin = os.path.dirname(os.path.abspath(__file__)) + "/../../plugins/computes_in_a_handler.so"


def reduce(job, communicator, stream):
    rank.check(job.nccl.ncclAllReduce(job.data, job.data, ctypes.c_size_t(64), 7, 0, communicator, stream))
    rank.check(job.nccl.cudaStreamSynchronize(stream))


def receive(job, second):
    stream = ctypes.c_void_p()
    rank.check(job.nccl.cudaSetDevice(0))
    rank.check(job.nccl.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
    reduce(job, second, stream)


def want_the_lock():
    lock = ctypes.PyDLL(plugin)  # its functions keep Python's lock
    reads, writes = os.pipe()
    lock.handle_term(writes)
    threading.Thread(target=lock.signal_and_read,
                     args=(reads, ctypes.c_ulong(threading.get_ident()))).start()
    time.sleep(0.1)


job = rank.Job()
second = job.split()
reduce(job, job.world, job.stream)
if rank.number() == 0:
    receiver = threading.Thread(target=receive, args=(job, second))
    receiver.start()
    time.sleep(0.1)
    want_the_lock()
    reduce(job, job.world, job.stream)
    receiver.join()
else:
    reduce(job, job.world, job.stream)
    reduce(job, second, job.stream)
