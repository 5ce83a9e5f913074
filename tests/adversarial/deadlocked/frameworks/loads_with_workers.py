#!/usr/bin/env python3
# DDP with a DataLoader that has workers and pins memory, as PyTorch has it: each worker polls for indices, the pin
# thread polls for what the workers load, both with a limit, a server in each worker accepts who wants its tensors, and
# Python's feeders and the autograd thread idle. The trainer handles the end of a worker. Rank 1 has one batch less and
# has ended.
# Naive view: a poll that ends by itself may do anything.
# Expected: deadlock; rank 1 is to blame.
import ctypes
import multiprocessing
import os
import queue
import signal
import socket
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import rank  # noqa: E402

rank.declare(False, ("deadlock", "rank_exited", [1]), may_assume=" ")
INTERVAL_S = 0.2  # 5 in PyTorch (MP_STATUS_CHECK_INTERVAL)
processes = multiprocessing.get_context("fork")


def share():  # multiprocessing.resource_sharer
    server = socket.socket(socket.AF_UNIX)
    server.bind("")
    server.listen()
    server.accept()


def work(indices, batches, trainer):
    threading.Thread(target=share, daemon=True).start()
    while os.getppid() == trainer:
        try:
            index = indices.get(timeout=INTERVAL_S)
        except queue.Empty:
            continue
        batches.put((index, [index] * 64))


def pin(job, batches, pinned):
    rank.check(job.nccl.cudaSetDevice(rank.number() % 2))
    while True:
        try:
            batch = batches.get(timeout=INTERVAL_S)
        except queue.Empty:
            continue
        memory = ctypes.c_void_p()
        rank.check(job.nccl.cudaHostAlloc(ctypes.byref(memory), ctypes.c_size_t(4096), 0))
        pinned.put(batch)


def propagate_back(job, tasks, done):
    while (task := tasks.get()) is not None:
        job.all_reduce()
        done.put(task)


job = rank.Job()
batches = processes.Queue()
indices = [processes.Queue() for _ in range(2)]
for one in indices:
    processes.Process(target=work, args=(one, batches, os.getpid()), daemon=True).start()
signal.signal(signal.SIGCHLD, lambda *_: None)
pinned, tasks, done = queue.Queue(), queue.Queue(), queue.Queue()
threading.Thread(target=pin, args=(job, batches, pinned), daemon=True).start()
threading.Thread(target=propagate_back, args=(job, tasks, done), daemon=True).start()
for step in range(10 - rank.number()):
    indices[step % 2].put(step)
    pinned.get()
    tasks.put(step)
    done.get()
    job.synchronize()
os._exit(0)
