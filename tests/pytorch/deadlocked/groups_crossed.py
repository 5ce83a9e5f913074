"""Two groups, entered in different orders, with a synchronize between."""
from job import *

x = start()
groups = two_groups(x)
if rank() == 1:
    groups.reverse()
for group in groups:
    dist.all_reduce(x, group=group)
    torch.cuda.synchronize()
end()
