#!/usr/bin/env python3
# A rank waits for its stream and keeps Python's lock, which its checkpoint thread needs.
# Naive view: a thread that looks again every 5 ms may act.
# Expected: deadlock; a cycle of both.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../setup")
import pythons_lock  # noqa: E402
import rank  # noqa: E402

rank.declare(False, ("deadlock", "cycle", [0, 1]), says=["rank 0 waits for Python's lock"])
pythons_lock.wait_with_the_lock()
