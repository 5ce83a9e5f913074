"""A training loop of PyTorch's whose gradients go through NCCL. PyTorch is the CPU's, so its collectives are Gloo's, and
NCCL is reached through ctypes."""
import os
import sys

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

import rank

HANGS = sys.argv[1]  # where rank 1, which has one batch less, goes after its last one; "nowhere": it has as many
STEPS = 6


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 4 * STEPS

    def __getitem__(self, index):
        return torch.full((8,), float(index))


def wait_for_others(epoch):
    if HANGS == "barrier":
        dist.barrier()
    elif HANGS == "store":
        store = dist.distributed_c10d._get_default_store()
        store.set(f"{epoch} {rank.number()}", "done")
        store.wait([f"{epoch} {1 - rank.number()}"])


dist.init_process_group("gloo")
job = rank.Job()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
loader = DataLoader(Samples(), batch_size=4, num_workers=0 if HANGS == "store" else 2)
for epoch in range(2):
    for step, batch in enumerate(loader):
        if HANGS != "nowhere" and rank.number() == 1 and step == STEPS - 1:
            break
        with model.no_sync():
            model(batch).mean().backward()
        job.all_reduce()
        job.synchronize()
    if HANGS == "exit" and rank.number() == 1:
        break
    wait_for_others(epoch)
os._exit(0)
