#!/usr/bin/env python3
# Two communicators are crossed on one stream by Python through ctypes, as frameworks reach NCCL through a
# handle of their own (dlopen, dlsym): no symbol of NCCL is bound in the program.
# Naive view: calls that do not come by the preloaded names are not recorded.
# Expected: deadlock; a cycle of both.
import ctypes
import json
import os
import sys
import time

if "--expect" in sys.argv:
    print(json.dumps({
        "healthy": False, "answers": [{"outcome": "deadlock", "cause": "cycle", "culprits": [0, 1]}],
        "may_assume": "", "ranks": 2, "environment": [], "options": [], "launcher": "",
        "by_mpiexec": False, "outsider": False, "beside_load": False, "says": [], "says_not": [],
        "leaves": ""}))
    sys.exit(0)

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
first, second, stream, data = (ctypes.c_void_p() for _ in range(4))
check(nccl.ncclCommInitRank(ctypes.byref(first), ranks, unique, rank))
check(nccl.ncclCommSplit(first, 0, rank, ctypes.byref(second), None))
check(nccl.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
check(nccl.cudaMalloc(ctypes.byref(data), ctypes.c_size_t(4096)))
for comm in (first, second) if rank == 0 else (second, first):
    check(nccl.ncclAllReduce(data, data, ctypes.c_size_t(64), 7, 0, comm, stream))
check(nccl.cudaStreamSynchronize(stream))
