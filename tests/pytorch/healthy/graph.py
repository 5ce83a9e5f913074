"""A captured all-reduce; a rank is late between two replays."""
from job import *

x = start()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
for step in range(6):
    graph.replay()
    if step == 3 and rank() == 0:
        time.sleep(6)
torch.cuda.synchronize()
del graph
end()
