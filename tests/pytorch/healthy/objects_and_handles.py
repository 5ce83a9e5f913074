"""Objects of other ranks, and operations that are waited for later."""
from job import *

x = start()
objects = [None, None]
dist.all_gather_object(objects, {"rank": rank(), "text": "x" * 1000 * rank()})
handles = [dist.all_reduce(x, async_op=True) for _ in range(20)]
if rank() == 0:
    time.sleep(6)
for handle in handles:
    handle.wait()
dist.broadcast_object_list(objects, src=1)
end()
