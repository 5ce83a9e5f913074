"""A barrier by Gloo, to which rank 1 comes after 8 s."""
from job import *

start()
gloo = dist.new_group(backend="gloo")
if rank() == 1:
    time.sleep(8)
dist.barrier(group=gloo)
dist.monitored_barrier(group=gloo)
end()
