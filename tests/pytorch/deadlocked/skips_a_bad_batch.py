"""Rank 1 catches an exception and skips the backward pass of a batch."""
from job import *

start()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
for step in range(3):
    try:
        loss = model(torch.randn(8, 64, device="cuda")).sum()
        if step == 1 and rank() == 1:
            raise RuntimeError("a bad batch")
        loss.backward()
    except RuntimeError:
        continue
    torch.cuda.synchronize()
x = torch.ones(7, device="cuda")
dist.broadcast(x, src=0)
torch.cuda.synchronize()
