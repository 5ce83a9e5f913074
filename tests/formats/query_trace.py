"""Asks Perfetto's trace_processor three questions about a trace. Usage: query_trace.py TRACE"""

import sys

try:
    from perfetto.trace_processor import TraceProcessor

    processor = TraceProcessor(trace=sys.argv[1])
except Exception as error:  # no package, or no program for it
    print(error)
    sys.exit(77)


def ask(query):
    return [tuple(row.__dict__.values()) for row in processor.query(query)]


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
