"""An all-reduce on one rank, a broadcast on the other."""
from job import *

x = start()
if rank() == 0:
    dist.all_reduce(x)
else:
    dist.broadcast(x, src=1)
torch.cuda.synchronize()
end()
