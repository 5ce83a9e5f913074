#!/usr/bin/env python3
"""Runs the PyTorch programs beside it under `gridlock watch`, on a machine with a GPU, and prints a verdict for each.

    measure.py [--strict] [--parallel N] [--log FILE] GRIDLOCK [NAME...]

GRIDLOCK is the program; NAME a part of a program's name. --log: what watch printed is added to the file. Exit: 0, 1 if
a healthy program was accused or a deadlocked one was not judged a hang, 77 without PyTorch or a GPU.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 100  # well above watch's


def text_of(run):
    text = run["outcome"] or "none"
    if run["cause"]:
        text += f" ({run['cause']})"
    if run["culprits"]:
        text += " of " + ", ".join(str(rank) for rank in run["culprits"])
    if run["assumptions"]:
        text += f", {len(run['assumptions'])} assumptions"
    if run["time_to_detect_ms"] is not None:
        text += f", {run['time_to_detect_ms']:.0f} ms"
    return text


def judge(options, name):
    """The verdict on the program, whether it is wrong, and what watch printed."""
    healthy = name.startswith("healthy/")
    command = [options.gridlock, "watch", "-n", "2", "--share-gpus", "--run-limit", "60s", "--json", "out.json",
               "--output", "out", *(["--strict"] if options.strict else []),
               *([] if healthy else ["--on-stall", "kill"]), "--", sys.executable, str(HERE / name)]
    environment = os.environ | {"PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        try:
            said = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False).stdout
            run = json.loads((pathlib.Path(folder) / "out.json").read_text())["runs"][0]
        except subprocess.TimeoutExpired as late:
            return "watch does not end", True, late.stdout or b""
        except (OSError, ValueError, LookupError):
            return "no verdict", True, said
    wrong = run["outcome"] == "deadlock" if healthy else run["outcome"] not in ("deadlock", "stall")
    return text_of(run), wrong, said


def why_not():
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed"
    return "" if torch.cuda.is_available() else "there is no GPU"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--log")
    parser.add_argument("gridlock")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.gridlock = str(pathlib.Path(options.gridlock).resolve())
    if reason := why_not():
        print(f"measure.py: {reason}", file=sys.stderr)
        return 77
    names = sorted(str(path.relative_to(HERE)) for room in ("deadlocked", "healthy") for path in HERE.glob(f"{room}/*.py"))
    names = [name for name in names if not options.names or any(part in name for part in options.names)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        runs = {pool.submit(judge, options, name): name for name in names}
        for done in concurrent.futures.as_completed(runs):
            name = runs[done]
            verdict, wrong, said = done.result()
            print(f"{name:45} {verdict}{'  WRONG' if wrong else ''}", flush=True)
            failed += wrong
            if options.log:
                with open(options.log, "ab") as log:
                    log.write(f"==== {name}: {verdict}\n".encode() + said + b"\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
