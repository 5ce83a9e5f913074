"""SyncBatchNorm, one rank in eval mode."""
from job import *

start()
model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.BatchNorm1d(64)).cuda()
model = torch.nn.parallel.DistributedDataParallel(model, broadcast_buffers=False)
model(torch.randn(8, 64, device="cuda")).sum().backward()
if rank() == 1:
    model.eval()
model(torch.randn(8, 64, device="cuda")).sum().backward()
torch.cuda.synchronize()
end()
