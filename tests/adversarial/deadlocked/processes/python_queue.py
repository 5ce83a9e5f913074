#!/usr/bin/env python3
# Rank 0 waits for a batch from its loader, a process of Python's multiprocessing that waits for a permit which nobody
# gives. Rank 1 waits for rank 0 in a collective.
# Naive view: a semaphore lies in shared memory, so anybody may post it.
# Expected: deadlock; rank 0 is to blame, because it waits only for itself and its child.
import ctypes
import json
import multiprocessing
import os
import sys
import time

if "--expect" in sys.argv:
    print(json.dumps({
        "healthy": False, "answers": [{"outcome": "deadlock", "cause": cause, "culprits": [0]} for cause in ("self", "cycle", "host_stuck")],
        "may_assume": "", "ranks": 2, "environment": [], "options": [], "launcher": "",
        "by_mpiexec": False, "outsider": False, "beside_load": False, "says": [], "says_not": [],
        "leaves": ""}))
    sys.exit(0)

processes = multiprocessing.get_context("fork")
batches, permits = processes.Queue(), processes.Semaphore(2)


def load():
    while True:
        permits.acquire()
        batches.put("batch")


if os.environ["RANK"] == "0":
    processes.Process(target=load, daemon=True).start()
nccl = ctypes.CDLL(os.environ["ADVERSARIAL_SIM"])
rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
folder = os.environ["ADVERSARIAL_FOLDER"]


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def check(result):
    if result != 0:
        sys.exit(f"a call returned {result}")


unique = UniqueId()
if rank == 0:
    check(nccl.ncclGetUniqueId(ctypes.byref(unique)))
    with open(folder + "/id.new", "wb") as file:
        file.write(bytes(unique))
    os.rename(folder + "/id.new", folder + "/id")
while not os.path.exists(folder + "/id"):
    time.sleep(0.001)
with open(folder + "/id", "rb") as file:
    unique = UniqueId.from_buffer_copy(file.read())

check(nccl.cudaSetDevice(rank))
world, stream, data = (ctypes.c_void_p() for _ in range(3))
check(nccl.ncclCommInitRank(ctypes.byref(world), ranks, unique, rank))
check(nccl.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
check(nccl.cudaMalloc(ctypes.byref(data), ctypes.c_size_t(4096)))
for step in range(3):
    if rank == 0:
        batches.get()
    check(nccl.ncclAllReduce(data, data, ctypes.c_size_t(64), 7, 0, world, stream))
    check(nccl.cudaStreamSynchronize(stream))
