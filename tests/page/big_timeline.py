"""A run of many ranks with many operations, as gridlock.timeline/1: the last rank makes one call less."""

import base64
import json


def column(values):
    out, before = bytearray(), 0
    for value in values:
        step = value - before
        before = value
        rest = step << 1 if step >= 0 else (-step << 1) - 1
        while rest >= 128:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
    return base64.b64encode(bytes(out)).rstrip(b"=").decode()


def big_timeline(ranks, operations):
    columns, numbers = [], {}

    def number(values):
        text = column(values)
        if text not in numbers:
            numbers[text] = len(columns)
            columns.append(text)
        return numbers[text]

    all_ranks = []
    for rank in range(ranks):
        last = rank == ranks - 1
        count = operations - 1 if last else operations
        same = {name: number([value] * count) for name, value in
                (("call", 0), ("communicator", 0), ("peer", -1), ("count", 64), ("stream", 0), ("thread", 0), ("caller", 5))}
        all_ranks.append({
            "rank": rank, "host": "here", "process": "exited" if last else "alive", "code": 0, "code_known": True, "others": 0,
            "lost": 0, "group": int(last), "culprit": last, "length": count, "streams": ["stream 0"],
            "threads": [{"tid": 1, "kernel": "S, futex", "blocked": not last, "call": "stream_synchronize",
                         "since": 1000 + 40 * operations, "label": "", "communicator": 0, "caller": ""}],
            "operations": {**same, "time": number([1000 + 40 * i + rank * 7 % 13 for i in range(count)]),
                           "label": number([1 + i % 4 for i in range(count)]), "slot": number(range(count)),
                           "stage": number([0 if i < operations - 1 else 1 for i in range(count)])}})
    last_ns = 1000 + 40 * operations
    return json.dumps({
        "schema": "gridlock.timeline/1", "tick_ns": 1000,
        "marks": {"last_progress": last_ns, "proven": last_ns + 9000, "decided": last_ns + 9100, "killed": last_ns + 9200},
        "words": ["all_reduce"] + [f"gradients/bucket {i}" for i in range(4)] + [""],
        "communicators": [{"name": "world", "size": ranks}], "columns": columns, "ranks": all_ranks, "graph": None},
        separators=(",", ":"))
