"""Rank 0 is at a barrier of Gloo's, rank 1 in an all-reduce of NCCL's."""
from job import *

x = start()
gloo = dist.new_group(backend="gloo", timeout=datetime.timedelta(days=1))
if rank() == 0:
    dist.barrier(group=gloo)
    dist.all_reduce(x)
else:
    dist.all_reduce(x)
    torch.cuda.synchronize()
    dist.barrier(group=gloo)
end()
