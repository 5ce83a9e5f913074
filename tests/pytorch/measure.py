#!/usr/bin/env python3
"""Runs the PyTorch programs beside it under `gridlock watch`, on a machine with a GPU, and prints a verdict for each.

    measure.py [--torchrun] [--strict] [--alone] [--parallel N] GRIDLOCK [NAME...]

GRIDLOCK is the program; NAME a part of a program's name. `--torchrun`: torchrun starts the ranks. `--alone`: without
Gridlock; says who ends. Exit: 0, 1 if a healthy program was accused or a deadlocked one was not judged a hang, 77
without PyTorch or a GPU.
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
# What --share-gpus sets for ranks that `watch` starts itself. job.py sets the NCCL_HOSTID.
SHARED = {"NCCL_NET": "Socket", "NCCL_NET_PLUGIN": "none", "NCCL_SOCKET_IFNAME": "lo", "NCCL_MNNVL_ENABLE": "0",
          "NCCL_RUNTIME_CONNECT": "0", "NCCL_ALGO": "Ring", "NCCL_PROTO": "Simple", "NCCL_MAX_CTAS": "1",
          "NCCL_RAS_ENABLE": "0"}


def command(options, program):
    ranks = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", program]
    if options.alone:
        return ranks
    watch = [options.gridlock, "watch", "--run-limit", "60s", "--json", "out.json", "--output", "out"]
    if options.strict:
        watch.append("--strict")
    if "/deadlocked/" in program:
        watch += ["--on-stall", "kill"]
    if options.torchrun:
        return [*watch, "-n", "2", "--ranks-by-program", "--", *ranks]
    return [*watch, "-n", "2", "--share-gpus", "--", sys.executable, program]


def text_of(run):
    text = run["outcome"] or "none"
    if run.get("cause"):
        text += f" ({run['cause']})"
    culprits = [str(one["rank"] if isinstance(one, dict) else one) for one in run.get("culprits") or []]
    if culprits:
        text += " of " + ", ".join(culprits)
    if run.get("assumptions"):
        text += f", {len(run['assumptions'])} assumptions"
    if isinstance(run.get("time_to_detect_ms"), (int, float)):
        text += f", {run['time_to_detect_ms']:.0f} ms"
    return text


def judge(options, name):
    program = str(HERE / name)
    environment = os.environ | {"PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1"}
    if options.torchrun or options.alone:
        environment |= SHARED
    healthy = name.startswith("healthy/")
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(command(options, program), cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60 if options.alone else 100, check=False)
        except subprocess.TimeoutExpired as late:
            return name, "does not end", healthy or not options.alone, (late.stdout or b"").decode(errors="replace")
        said = done.stdout.decode(errors="replace")
        if options.alone:
            return name, f"ends with {done.returncode}", not healthy, said
        try:
            run = json.loads((pathlib.Path(folder) / "out.json").read_text())["runs"][0]
        except (OSError, ValueError, LookupError):
            return name, "no verdict", True, said
    hang = run["outcome"] in ("deadlock", "stall")
    wrong = run["outcome"] == "deadlock" if healthy else not hang
    return name, text_of(run), wrong, said


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--torchrun", "--strict", "--alone"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--log")
    parser.add_argument("gridlock")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.gridlock = str(pathlib.Path(options.gridlock).resolve())
    try:
        import torch
    except ImportError:
        print("measure.py: PyTorch is not installed", file=sys.stderr)
        return 77
    if not torch.cuda.is_available():
        print("measure.py: there is no GPU", file=sys.stderr)
        return 77
    names = sorted(str(path.relative_to(HERE)) for path in HERE.glob("*ed/*.py")) + sorted(
        str(path.relative_to(HERE)) for path in HERE.glob("healthy/*.py"))
    names = [name for name in names if not options.names or any(part in name for part in options.names)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        for done in concurrent.futures.as_completed([pool.submit(judge, options, name) for name in names]):
            name, verdict, wrong, said = done.result()
            print(f"{name:45} {verdict}{'  WRONG' if wrong else ''}", flush=True)
            failed += wrong
            if options.log:
                with open(options.log, "a", encoding="utf-8") as log:
                    log.write(f"==== {name}: {verdict}\n{said}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
