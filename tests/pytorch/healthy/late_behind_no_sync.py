"""Three steps without all-reduces, then a rank is late."""
from job import *

start()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda())
with model.no_sync():
    for _ in range(3):
        model(torch.randn(8, 256, device="cuda")).sum().backward()
if rank() == 1:
    time.sleep(8)
model(torch.randn(8, 256, device="cuda")).sum().backward()
end()
