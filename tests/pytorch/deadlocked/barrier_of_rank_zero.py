"""Only rank 0 is at the barrier, and rank 1 waits for its key."""
from job import *

start()
store = dist.distributed_c10d._get_default_store()
if rank() == 0:
    dist.barrier()
    store.set("saved", "yes")
else:
    store.wait(["saved"], datetime.timedelta(days=1))
end()
