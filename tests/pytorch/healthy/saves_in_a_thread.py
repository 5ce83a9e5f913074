"""Rank 0 saves in a thread for 8 s, and the others wait for it at a barrier."""
from job import *

import tempfile
import threading


def save():
    with tempfile.NamedTemporaryFile() as file:
        time.sleep(8)
        torch.save(torch.zeros(1 << 20), file.name)


start()
if rank() == 0:
    thread = threading.Thread(target=save)
    thread.start()
    thread.join()
end()
