"""A rank reads a line that another program writes after 8 s."""
from job import *

import subprocess

start()
if rank() == 1:
    line = subprocess.run(["sh", "-c", "sleep 8; echo ready"], stdout=subprocess.PIPE, check=True).stdout
    assert line == b"ready\n"
end()
