"""Rank 0 waits for a key of the store that rank 1 sets after 8 s."""
from job import *

start()
store = dist.distributed_c10d._get_default_store()
if rank() == 1:
    time.sleep(8)
    store.set("ready", "yes")
else:
    store.wait(["ready"])
end()
