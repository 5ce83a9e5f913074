"""Holds our approved files against programs and schemas that we did not write.

Usage: check.py FORMAT SOURCE_TREE   Exits with 77, and says why, where the checker is missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    print(done.stdout)
    return done


def must(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def trace(approved, checkers):
    python = checkers / "venv/bin/python"
    if not python.exists():
        skip("no trace_processor: scripts/get_checkers.sh fetches it")
    assembly = checkers / "trace_processor"
    command = [python, Path(__file__).with_name("query_trace.py"), approved / "trace.json"]
    done = run([*command, assembly] if assembly.exists() and shutil.which("node") else command)
    if done.returncode == SKIP:
        skip("no trace_processor: scripts/get_checkers.sh could not fetch it")
    must(done.returncode == 0, "trace_processor reads the trace and answers")


def sarif(approved, checkers):
    try:
        import jsonschema
    except ImportError:
        skip("no jsonschema: package python3-jsonschema")
    schema = checkers / "sarif-schema-2.1.0.json"
    if not schema.exists():
        skip("no SARIF schema: scripts/get_checkers.sh fetches it")
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
    log = json.loads((approved / "sarif.json").read_text())
    errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(log)]
    must(not errors, errors)
    del log["runs"][0]["tool"]
    must(list(validator.iter_errors(log)), "the schema finds a fault that we made")


def benchmark(approved, checkers):
    compare = Path("/usr/share/benchmark/compare.py")
    if not compare.exists():
        skip("no compare.py: package libbenchmark-tools")
    pythons = [checkers / "venv/bin/python", sys.executable, "/usr/bin/python3"]
    has_modules = [python for python in pythons if Path(python).exists()
                   and subprocess.run([python, "-c", "import scipy, pandas"], stderr=subprocess.DEVNULL).returncode == 0]
    if not has_modules:
        skip("compare.py misses modules of Python: scripts/get_checkers.sh fetches them")
    ours = approved / "benchmark.json"
    command = [has_modules[0], compare, "--no-color", "--no-utest", "benchmarks", ours]
    done = run([*command, ours])
    must(done.returncode == 0, "compare.py compares the session with itself")
    steps = [line for line in done.stdout.splitlines() if "uneven_batches/even/ranks:4/step_time" in line]
    must(len(steps) == 1 and "+0.0000" in steps[0], "it finds no difference in the step time")
    slower = json.loads(ours.read_text())
    for entry in slower["benchmarks"]:
        entry["real_time"] *= 2
    with tempfile.NamedTemporaryFile("w", suffix=".json") as other:
        json.dump(slower, other)
        other.flush()
        done = run([*command, other.name])
    steps = [line for line in done.stdout.splitlines() if "uneven_batches/even/ranks:4/step_time" in line]
    must(len(steps) == 1 and "+1.0000" in steps[0], "it finds a step time that we doubled")


def prometheus(approved, _):
    if shutil.which("promtool") is None:
        skip("no promtool: package prometheus")
    text = (approved / "prometheus.prom").read_text()
    done = run(["promtool", "check", "metrics"], input=text)
    must(done.returncode == 0 and not done.stdout.strip(), "promtool has nothing to say")
    bad = run(["promtool", "check", "metrics"], input=text + "9bad{ 1\n")
    must(bad.returncode != 0, "promtool finds a fault that we made")


def flight_records(approved, checkers):
    analyzer = checkers / "flight_recorder"
    if not analyzer.exists():
        skip("no fr_trace: scripts/get_checkers.sh --torch fetches it")
    with tempfile.TemporaryDirectory(prefix="gridlock-records-") as folder:
        for rank in (0, 1):
            shutil.copy(approved / f"nccl_trace_rank_{rank}", folder)
        environment = {**os.environ, "PYTHONPATH": str(analyzer)}
        program = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", folder]
        done = run(program, env=environment)
        must(done.returncode == 0, "fr_trace reads the records")
        must("all_reduce" in done.stdout and "missing ranks: {1}" in done.stdout, "it names who is missing")
        if "tabulate is not installed" in done.stdout:
            return  # fr_trace lists entries with it alone
        listed = run([*program, "-j"], env=environment)
        must(listed.returncode == 0 and "all_reduce" in listed.stdout, "it lists the entries")


def junit(approved, checkers):
    schema = checkers / "junit-10.xsd"
    if not schema.exists():
        skip("no schema of JUnit's XML: scripts/get_checkers.sh fetches it")
    if shutil.which("xmllint") is None:
        skip("no xmllint: package libxml2-utils")
    command = ["xmllint", "--noout", "--schema", schema]
    ours = approved / "junit.xml"
    must(run([*command, ours]).returncode == 0, "the schema of Jenkins' plugin accepts our file")
    bad = run([*command, "-"], input=ours.read_text().replace("<testcase classname", "<testcase klass", 1))
    must(bad.returncode != 0, "the schema finds a fault that we made")


if __name__ == "__main__":
    source = Path(sys.argv[2])
    checks = {check.__name__: check for check in (trace, sarif, benchmark, prometheus, flight_records, junit)}
    if not (source / "tests/approved/report").is_dir():
        sys.exit("failed: nothing is approved yet: run scripts/approve.sh, look, commit")
    checks[sys.argv[1]](source / "tests/approved/report", source / "build/checkers")
