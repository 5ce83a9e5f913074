"""Asks Perfetto's trace_processor four questions about a trace.

Usage: query_trace.py TRACE [FOLDER]   FOLDER: trace_processor as WebAssembly, where the program cannot be fetched
"""

import subprocess
import sys
from pathlib import Path

SKIP = 77


def skip(why):
    print(why)
    sys.exit(SKIP)


try:
    from perfetto.trace_processor import TraceProcessor
    from perfetto.trace_processor.platform import PlatformDelegate
    from perfetto.trace_processor.protos import ProtoFactory
    from perfetto.trace_processor.rpc import TraceProcessorRpc
except ImportError as error:
    skip(error)


class Pipe:
    """What TraceProcessorRpc calls a transport."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, request):
        self.process.stdin.write(request)
        self.process.stdin.flush()

    def read(self, size):
        answer = self.process.stdout.read(size)
        if len(answer) != size:
            raise ConnectionError("trace_processor has ended")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Assembly:
    """trace_processor as WebAssembly in Node, asked as TraceProcessor is."""

    def __init__(self, trace, folder):
        self.protos = ProtoFactory(PlatformDelegate())
        self.pipe = Pipe(["node", Path(__file__).with_name("trace_processor.js"), folder])
        self.rpc = TraceProcessorRpc(self.pipe, self.protos)
        kinds = self.protos.TraceProcessorRpc
        self._call(kinds.TPM_APPEND_TRACE_DATA, trace)
        self._call(kinds.TPM_FINALIZE_TRACE_DATA)

    def _call(self, kind, data=b""):
        stream = self.protos.TraceProcessorRpcStream()
        request = stream.msg.add()
        request.request = kind
        if data:
            request.append_trace_data = data
        self.pipe.send(stream.SerializeToString())
        answer = self.protos.TraceProcessorRpc()
        answer.MergeFromString(self.rpc._read_payload())
        assert not answer.append_result.error, answer

    def query(self, text):
        answer = self.rpc.execute_query(text)
        assert not answer.error, answer.error
        return TraceProcessor.QueryResultIterator(answer.column_names, answer.batch)

    def close(self):
        self.rpc.close()


def opened(trace, folder):
    # A proxy that answers slowly must not hold up a test that has another way.
    if folder is None:
        try:
            return TraceProcessor(trace=trace)
        except Exception as error:  # no program, and it cannot be fetched
            skip(error)
    return Assembly(Path(trace).read_bytes(), folder)


def ask(query):
    return [tuple(row.__dict__.values()) for row in processor.query(query)]


processor = opened(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
names = ask("select process.name from process where name like 'rank %' order by name")
bars = ask(
    "select count(*) from slice join thread_track on slice.track_id = thread_track.id "
    "where slice.name like 'all_reduce%'"
)
flows = ask("select count(*) from flow")
errors = ask("select name, value from stats where severity = 'error' and value > 0")
print(names, bars, flows, errors)
processor.close()
assert [name for (name,) in names] == [f"rank {rank} of uneven_batches/peers_leave" for rank in (0, 1)]
assert bars == [(3,)], "three all-reduces were called"
assert flows == [(1,)], "the members of the first one are joined"
assert not errors
print("trace_processor answers as it should")
