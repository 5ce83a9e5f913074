"""Rank 1 joins a thread whose queue nobody fills."""
from job import *

import queue
import threading

x = start()
if rank() == 1:
    jobs = queue.Queue()
    worker = threading.Thread(target=jobs.get)
    worker.start()
    worker.join()
dist.all_reduce(x)
torch.cuda.synchronize()
end()
