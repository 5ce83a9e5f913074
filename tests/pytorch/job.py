"""How every PyTorch program here begins, so that each has only its own trick."""
import datetime
import os
import time

import torch
import torch.distributed as dist

__all__ = ["datetime", "dist", "end", "os", "rank", "start", "time", "torch", "two_groups"]


def rank():
    return int(os.environ["RANK"])


def start(**more):
    """Joins all ranks by NCCL. Ranks share a GPU if there are too few."""
    torch.cuda.set_device(rank() % torch.cuda.device_count())
    dist.init_process_group("nccl", **more)
    x = torch.ones(1024, device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    return x


def two_groups(x):
    """Two groups of all ranks, both of which are connected."""
    groups = [dist.new_group(), dist.new_group()]
    for group in groups:
        dist.all_reduce(x, group=group)
    torch.cuda.synchronize()
    return groups


def end():
    torch.cuda.synchronize()
    dist.barrier()
    dist.destroy_process_group()
