"""One rank's data come from workers, one of which takes 8 s for an item."""
from job import *

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        if i == 9 and rank() == 1:
            time.sleep(8)
        return torch.randn(256)


if __name__ == "__main__":
    start()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda())
    for batch in torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=2, pin_memory=True):
        model(batch.cuda(non_blocking=True)).sum().backward()
    end()
