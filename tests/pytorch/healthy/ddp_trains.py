"""DDP, ten steps."""
from job import *

start()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    optimizer.zero_grad()
    model(torch.randn(8, 256, device="cuda")).sum().backward()
    optimizer.step()
end()
