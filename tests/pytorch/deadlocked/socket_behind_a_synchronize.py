"""A rank reads a socket that its peer serves only behind a synchronize."""
from job import *

import socket

x = start()
store = dist.distributed_c10d._get_default_store()
if rank() == 0:
    server = socket.create_server(("127.0.0.1", 0))
    store.set("port", str(server.getsockname()[1]))
    peer, _ = server.accept()
    dist.all_reduce(x)
    torch.cuda.synchronize()
    peer.sendall(b"go")
else:
    peer = socket.create_connection(("127.0.0.1", int(store.get("port"))))
    peer.recv(2)
    dist.all_reduce(x)
end()
