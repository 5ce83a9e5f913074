#!/usr/bin/env python3
"""Breaks the detector and the record in small ways, one at a time, and counts how many its tests notice.

    cmake --preset sim && cmake --build --preset sim --target test_harness_detect test_harness_record test_fuzz
    pip install universalmutator
    scripts/mutate.py [--count 300] [--seed 1] [--report FILE] [SOURCE...]

universalmutator draws the mutants: operators, conditions, constants, statements left out. A mutant that the
compiler turns into the same code is none, and one that it refuses neither. The unit tests go first. Mutants
that survive them meet 20,000 of the fuzzer's programs of each kind on paper.
"""
import argparse
import contextlib
import io
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/sim"
UNIT_TESTS = ["tests/test_harness_detect", "tests/test_harness_record"]
FUZZER = "tests/fuzz/test_fuzz"
RULES = ["universal.rules", "c_like.rules", "cpp.rules"]


class Noticed(Exception):
    """A test program failed; the text says which."""


class Refused(Exception):
    """The mutant does not link."""


def commands(target):
    """The commands that make `target`, in order."""
    made = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True)
    return made.stdout.splitlines()


def compile_command(target, source):
    """The command that compiles `source`, without debugging information: that differs in every mutant."""
    for command in commands(target):
        words = shlex.split(command)
        if str(ROOT / source) in words:
            return [word for word in words if not word.startswith("-g")]
    sys.exit(f"{source} is not part of {target}; configure the preset sim, which compiles sources one by one")


def link_command(target):
    """The command that links `target`, up to what CMake does behind it."""
    return shlex.split(commands(target)[-1].removeprefix(": && ").split(" && ")[0])


def compiled(command, source, text, folder):
    """The object of `source` with this text, or None if the compiler refuses it."""
    changed = folder / pathlib.Path(source).name
    changed.write_text(text)
    result = folder / "mutant.o"
    command = list(command)
    command[command.index("-o") + 1] = str(result)
    command[command.index(str(ROOT / source))] = str(changed)
    done = subprocess.run(command, cwd=BUILD, capture_output=True, check=False)
    return result if done.returncode == 0 else None


def run_with(target, mutant, folder, environment, limit_s, tests="*"):
    """Links `target` with the mutant, which stands before the library that holds the original."""
    link = link_command(target)
    program = folder / pathlib.Path(target).name
    link[link.index("-o") + 1] = str(program)
    link.insert(link.index("-o"), str(mutant))
    if subprocess.run(link, cwd=BUILD, check=False, capture_output=True).returncode != 0:
        raise Refused
    try:
        done = subprocess.run([program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={tests}"],
                              cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as late:
        raise Noticed(f"{program.name}: no end") from late
    if done.returncode != 0:
        failed = [line.split()[-3 if "ms)" in line else -1] for line in done.stdout.splitlines() if "[  FAILED  ]" in line]
        raise Noticed(f"{program.name}: {failed[0] if failed else f'ends with {done.returncode}'}")


def judged(mutant, folder):
    """Which test notices the mutant, or "" if none does."""
    environment = dict(os.environ, RC_PARAMS="seed=1", GRIDLOCK_FUZZ_PROGRAMS="5000")
    try:
        for target in UNIT_TESTS:
            run_with(target, mutant, folder, environment, 60)
        # On paper: a program that runs may fail by itself, since a busy machine disturbs it.
        run_with(FUZZER, mutant, folder, environment, 300, "FuzzOnPaper.*")
    except Noticed as noticed:
        return str(noticed)
    return ""


def mutants_of(source):
    from universalmutator import mutator  # pip install universalmutator
    lines = (ROOT / source).read_text().splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        drawn = mutator.mutants_regexp(lines, RULES, ignorePatterns=[r"^#include", r"^namespace"], ignoreStringOnly=True)
    return [(source, number, changed, "".join(lines[:number - 1] + [changed] + lines[number:]))
            for number, changed, *_ in drawn]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="how many mutants to judge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=pathlib.Path, help="a file for the survivors, as Markdown")
    parser.add_argument("sources", nargs="*", help="default: all of harness/detect and harness/record")
    options = parser.parse_args()
    sources = options.sources or sorted(str(path.relative_to(ROOT)) for room in ("detect", "record")
                                        for path in (ROOT / "harness" / room).rglob("*.cpp"))
    drawn = [mutant for source in sources for mutant in mutants_of(source)]
    random.Random(options.seed).shuffle(drawn)
    refused = same = 0
    noticed, survivors = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        originals = {}
        for source, number, line, text in drawn:
            if len(noticed) + len(survivors) == options.count:
                break
            line = " ".join(line.split())
            target = UNIT_TESTS[1 if "/record/" in source else 0]
            command = compile_command(target, source)
            if source not in originals:
                made = compiled(command, source, (ROOT / source).read_text(), folder)
                originals[source] = made.read_bytes() if made else sys.exit(f"{source} does not compile")
                if len(originals) == 1 and (by := judged(made, folder)):
                    sys.exit(f"without a mutant, too, there is a failure: {by}")
            made = compiled(command, source, text, folder)
            if made is None:
                refused += 1
            elif made.read_bytes() == originals[source]:
                same += 1
            else:
                try:
                    by = judged(made, folder)
                except Refused:
                    refused += 1
                    continue
                (noticed if by else survivors).append((source, number, line, by))
                print(f"{len(noticed)} noticed, {len(survivors)} survive: {source}:{number} {line}  <- {by or 'NOBODY'}",
                      flush=True)
    total = len(noticed) + len(survivors)
    summary = (f"{len(noticed)} of {total} mutants noticed ({100 * len(noticed) / max(total, 1):.1f} %), "
               f"{len(survivors)} survive; {refused} did not compile or link, {same} were the same code")
    print(summary)
    if options.report:
        rows = "".join(f"| `{source}:{number}` | `{line.replace('|', chr(92) + '|')}` |\n" for source, number, line, _ in sorted(survivors))
        options.report.write_text(f"{summary}; seed {options.seed}.\n\n| where | the changed line |\n|---|---|\n{rows}")


if __name__ == "__main__":
    main()
