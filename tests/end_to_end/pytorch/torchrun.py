"""torchrun, also where PyTorch is older than Python: PyTorch 1.13 finds no name for "do not redirect" in Python 3.11."""
import torch.distributed.elastic.multiprocessing.api as api
from torch.distributed import run

if api.Std.from_str("0") is None:
    api.Std.from_str = classmethod(lambda cls, text: cls.NONE)
run.main()
