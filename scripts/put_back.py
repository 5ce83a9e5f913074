#!/usr/bin/env python3
"""Puts faults back that the detector once had, one at a time, and says which tests notice them.

    scripts/put_back.py [--build build/auto] [--tries 5] [--report FILE] [--check] [NAME...]

Each fault is a patch in scripts/put_back: a sentence, the tests that should notice it, and a change of
today's code. The script applies it, builds those tests, runs them and takes the change back. NAME is the
beginning of a patch's name, "07" for example; without one, all are put back. --check: only says which
patches no longer apply. A fault that depends on who comes first may need several tries. Exit code 1:
nothing noticed a fault, or a patch no longer applies.
"""
import argparse
import contextlib
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATCHES = ROOT / "scripts/put_back"
NOTICED_BY = "Noticed by: "
TIME_LIMIT_S = 300


class Fault:
    def __init__(self, path):
        self.path = path
        head = path.read_text().split("\n--- ")[0].splitlines()
        self.what = head[0]
        self.tests = [tuple(line.removeprefix(NOTICED_BY).split()) for line in head if line.startswith(NOTICED_BY)]

    def apply(self, *options):
        return subprocess.run(["git", "apply", "-p0", "-C1", *options, self.path], cwd=ROOT, check=False,
                              capture_output=True, text=True)

    @contextlib.contextmanager
    def put_back(self):
        """The tree has the fault meanwhile."""
        done = self.apply()
        if done.returncode != 0:
            raise ValueError(f"the patch no longer applies: {done.stderr.strip()}")
        try:
            yield
        finally:
            if self.apply("--reverse").returncode != 0:
                sys.exit(f"{self.path.name} could not be taken back: look at the tree")


def build(folder, programs):
    targets = ["gridlock", "gridlock_recorder", *sorted({pathlib.Path(program).name for program in programs})]
    done = subprocess.run(["ninja", "-C", folder, *targets], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"it does not build: {done.stdout[-2000:]}")


def passes(folder, test):
    program, *filters = test
    try:
        done = subprocess.run([folder / program, "--gtest_brief=1", f"--gtest_filter={':'.join(filters)}"], cwd=folder,
                              capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    # A test that is skipped, or does not exist, ends well too.
    if done.returncode == 0 and "PASSED  ] 0 tests" in done.stdout:
        raise ValueError(f"{' '.join(test)} did not run: {done.stdout.strip()}")
    return done.returncode == 0


def tries_until_noticed(folder, test, tries):
    """The number of the run that failed; 0 if none did."""
    return next((number for number in range(1, tries + 1) if not passes(folder, test)), 0)


def tries_until_passed(folder, test, tries):
    """A busy machine may fail a test once."""
    return next((number for number in range(1, tries + 1) if passes(folder, test)), 0)


def judged(fault, folder, tries):
    """For each test of the fault, in which run it failed."""
    with fault.put_back():
        build(folder, [test[0] for test in fault.tests])
        return {test: tries_until_noticed(folder, test, tries) for test in fault.tests}


def name_of(test):
    return test[-1].split("/")[-1]


def numbers_of(fault):
    """"1, 2" of 01_02_name.patch; "4a" of 04a_name.patch."""
    return ", ".join(word.lstrip("0") for word in fault.path.stem.split("_") if word[0].isdigit())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/auto")
    parser.add_argument("--tries", type=int, default=5, help="how often a test is run that does not notice the fault")
    parser.add_argument("--report", type=pathlib.Path, help="a file for the table, as Markdown")
    parser.add_argument("--check", action="store_true", help="only say which patches no longer apply")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    folder = options.build.resolve()
    faults = [Fault(path) for path in sorted(PATCHES.glob("*.patch"))
              if not options.names or path.name.startswith(tuple(options.names))]
    if not faults:
        sys.exit(f"no patch in {PATCHES} begins so")
    if options.check:
        moved = [fault.path.name for fault in faults if fault.apply("--check").returncode != 0]
        sys.exit("\n".join(f"{name} no longer applies" for name in moved) or None)
    tests = sorted({test for fault in faults for test in fault.tests})
    rows, failures = [], 0
    try:
        build(folder, [test[0] for test in tests])
        for test in tests:
            if tries_until_passed(folder, test, options.tries) == 0:
                sys.exit(f"{name_of(test)} fails without a fault, so it notices nothing")
        for fault in faults:
            try:
                runs = judged(fault, folder, options.tries)
                noticed = [f"`{name_of(test)}`" + (f" (run {run})" if run > 1 else "") for test, run in runs.items() if run]
                answer = ", ".join(noticed) or "NOBODY"
                missed = [name_of(test) for test, run in runs.items() if not run]
                failures += not noticed
            except ValueError as error:
                answer, missed = f"NOT JUDGED: {error}", []
                failures += 1
            print(f"{fault.path.stem}: {answer}" + (f"; not by {', '.join(missed)}" if missed else ""), flush=True)
            rows.append(f"| {numbers_of(fault)} | {fault.what} | {answer} |\n")
    finally:
        build(folder, [test[0] for test in tests])
    if options.report:
        options.report.write_text("| | put back | noticed by |\n|---|---|---|\n" + "".join(rows))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
