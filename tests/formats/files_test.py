"""Files that a command line asks for: where they go, and what becomes of a run if they cannot be written.

Usage: files_test.py GRIDLOCK
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

gridlock = sys.argv[1]


def run(*arguments, folder):
    done = subprocess.run([gridlock, *map(str, arguments)], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def must(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def check_unwritable(folder):
    # /dev/full is a disk without room.
    full = [word for name in ("trace", "benchmark", "prometheus", "sarif", "json", "junit") for word in (f"--{name}", "/dev/full")]
    code, said, why = run("run", "uneven_batches/join", "--output", "kept", *full, folder=folder)
    must(code == 3, f"a file that cannot be written makes the exit code 3, not {code}")
    sentences = [line for line in why.splitlines() if line == "gridlock: cannot write into /dev/full: No space left on device"]
    must(len(sentences) == 6 and len(why.splitlines()) == 6, f"a sentence for each file: {why}")
    must("1 run: 1 as declared" in said, f"the verdict is shown: {said}")
    must((folder / "kept/results.json").exists() and (folder / "kept/index.html").exists(), "results and page are kept")
    code, _, why = run("run", "uneven_batches/peers_leave", "--output", "no", "--trace", "/proc/no.json", folder=folder)
    must(code == 2 and why.startswith("gridlock: cannot write /proc/no.json: "), f"refused before anything runs: {why}")
    must("old content" not in why, f"it claims no file that was never there: {why}")
    code, said, _ = run("report", "kept", "--trace", "/dev/full", folder=folder)
    must(code == 3 and "Page: kept" in said, "report goes on after a file that it cannot write")


def check_compare(folder):
    code, said, why = run("compare", "kept", "kept", "--json", "c.json", "--markdown", "c.md", "--html", "c.html", folder=folder)
    must(code == 0 and not why, f"compare writes three files: {why}")
    must(json.loads((folder / "c.json").read_text())["schema"] == "gridlock.comparison/1", "the first is JSON")
    must("<!doctype html>" in (folder / "c.html").read_text(), "the third is HTML")
    must("{" not in said[:1] and said, "the text is printed too")
    code, alone, text = run("compare", "kept", "kept", "--json", "-", folder=folder)
    must(json.loads(alone)["schema"] == "gridlock.comparison/1" and text == said, "--json - prints JSON alone")
    code, _, why = run("compare", "kept", "kept", "--html", "/dev/full", folder=folder)
    must(code == 3 and why == "gridlock: cannot write into /dev/full: No space left on device\n", why)


def check_missing(folder):
    kept = folder / "kept"
    (kept / "scenarios.json").write_text("{")
    code, _, why = run("report", kept, folder=folder)
    must(code == 0 and why.startswith("gridlock: the page does not show all: Lessons and code are not shown: ")
         and "scenarios.json is damaged" in why, f"what a page leaves out is said: {why}")


def check_foreign(folder):
    (folder / "kept/index.html").write_text("<p>my notes")
    code, _, why = run("report", "kept", folder=folder)
    must(code == 3 and "is not a page of Gridlock's" in why, f"somebody else's page stays: {code} {why}")
    must((folder / "kept/index.html").read_text() == "<p>my notes", "it is not overwritten")


with tempfile.TemporaryDirectory(prefix="gridlock-files-") as name:
    for check in (check_unwritable, check_compare, check_missing, check_foreign):
        check(Path(name))
print("files are written, or a sentence says why not")
