"""A layer that rank 1 does not use in the last step, without find_unused_parameters."""
from job import *

start()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(512, 512)
        self.other = torch.nn.Linear(512, 512)

    def forward(self, x, both):
        return self.one(x) + (self.other(x) if both else 0)


model = torch.nn.parallel.DistributedDataParallel(Model().cuda(), bucket_cap_mb=1)
for step in range(3):
    model(torch.randn(8, 512, device="cuda"), step < 2 or rank() == 0).sum().backward()
    torch.cuda.synchronize()
end()
