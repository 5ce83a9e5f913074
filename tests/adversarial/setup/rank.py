"""How a rank in Python begins. It reaches NCCL and CUDA through ctypes, as frameworks do (dlopen, dlsym on a handle of
its own), so no symbol of theirs is bound in the program."""
import ctypes
import json
import os
import sys
import time


def declare(healthy, *answers, may_assume="", says=()):
    """Answers `--expect` with the verdicts (outcome, cause, culprits) of which one must be given.

    The verdict may name only assumptions with the text `may_assume`; "": none. It must contain the texts `says`.
    """
    if "--expect" not in sys.argv:
        return
    print(json.dumps({
        "healthy": healthy,
        "answers": [dict(zip(("outcome", "cause", "culprits"), answer)) for answer in answers],
        "may_assume": may_assume, "ranks": 2, "environment": [], "options": [], "launcher": "",
        "by_mpiexec": False, "outsider": False, "beside_load": False, "says": says, "says_not": [],
        "leaves": ""}))
    sys.exit(0)


def number():
    return int(os.environ["RANK"])


def check(result):
    if result != 0:
        sys.exit(f"a call returned {result}")


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


class Job:
    """A communicator of all ranks, a stream, and some memory of this rank's device."""

    def __init__(self):
        if "ADVERSARIAL_SHARES_GPUS" in os.environ:
            os.environ.setdefault("NCCL_HOSTID", f"adversarial-{number()}")
        self.nccl = ctypes.CDLL(os.environ["ADVERSARIAL_SIM"])
        self.world, self.stream, self.data = (ctypes.c_void_p() for _ in range(3))
        unique = self.exchange_id()
        devices = ctypes.c_int()
        check(self.nccl.cudaGetDeviceCount(ctypes.byref(devices)))
        check(self.nccl.cudaSetDevice(number() % devices.value))
        ranks = int(os.environ["WORLD_SIZE"])
        check(self.nccl.ncclCommInitRank(ctypes.byref(self.world), ranks, unique, number()))
        check(self.nccl.cudaStreamCreateWithFlags(ctypes.byref(self.stream), 1))
        check(self.nccl.cudaMalloc(ctypes.byref(self.data), ctypes.c_size_t(4096)))

    def exchange_id(self):
        unique, path = UniqueId(), os.environ["ADVERSARIAL_FOLDER"] + "/id"
        if number() == 0:
            check(self.nccl.ncclGetUniqueId(ctypes.byref(unique)))
            with open(path + ".new", "wb") as file:
                file.write(bytes(unique))
            os.rename(path + ".new", path)
        while not os.path.exists(path):
            time.sleep(0.001)
        with open(path, "rb") as file:
            return UniqueId.from_buffer_copy(file.read())

    def split(self):
        """A second communicator of all ranks."""
        second = ctypes.c_void_p()
        check(self.nccl.ncclCommSplit(self.world, 0, number(), ctypes.byref(second), None))
        return second

    def all_reduce(self, communicator=None):
        check(self.nccl.ncclAllReduce(self.data, self.data, ctypes.c_size_t(64), 7, 0,
                                      communicator or self.world, self.stream))

    def synchronize(self):
        check(self.nccl.cudaStreamSynchronize(self.stream))
