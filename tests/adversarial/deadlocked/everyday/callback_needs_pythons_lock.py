#!/usr/bin/env python3
# Rank 0 has a host function in Python on its stream (as CuPy's launch_host_func), which needs Python's lock. The main
# thread waits for the stream in a call that keeps the lock. Rank 1 waits for rank 0 in a collective.
# Naive view: a host function may end.
# Expected: deadlock; rank 0 is to blame (a stall may say so too: host functions are not recorded).
import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, ("deadlock", "self", [0]), ("stall", "host_stuck", [0]))
job = rank.Job()
keeps = ctypes.PyDLL(os.environ["ADVERSARIAL_SIM"])
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda argument: None)
if rank.number() == 0:
    rank.check(keeps.cudaLaunchHostFunc(job.stream, function, None))
    rank.check(keeps.cudaStreamSynchronize(job.stream))
job.all_reduce()
job.synchronize()
