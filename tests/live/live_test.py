"""What a terminal shows while Gridlock runs. Usage: live_test.py GRIDLOCK"""

import re
import subprocess
import sys
import tempfile

from screen import on_terminal

gridlock = sys.argv[1]


class Seen:
    """Collects what was on the screen, and how many lines the live view had."""

    def __init__(self, live):
        self.live, self.texts, self.most = re.compile(live), set(), 0

    def __call__(self, screen):
        shown = [line for line in screen.lines if line]
        if shown and self.live.search(shown[0]):
            self.most = max(self.most, len(shown))
        self.texts.update(shown)

    def any(self, pattern):
        return any(re.search(pattern, text) for text in self.texts)


def must(condition, what, seen=None):
    if not condition:
        if seen:
            print(*sorted(seen.texts), sep="\n")
        sys.exit("failed: " + what)


def check_run(folder):
    seen = Seen(r"^\[\d+/8")
    code, screen = on_terminal([gridlock, "run", "uneven_batches", "--output", "run"], folder, looks=seen)
    must(code == 0, f"the run ends with 0, not {code}: {screen.lines}")
    must(screen.scrolled < 4, "the live view does not scroll")
    must(seen.any(r"^\[[1-7]/8\] uneven_batches/\w+, \d+\.\d s; \d+ s so far, about \d+ s left"),
         "it shows the variant, counts and times", seen)
    must(1 <= seen.most <= 8, f"it has a few lines, not {seen.most}", seen)
    must(not any(re.match(r"\[\d/8", line) for line in screen.lines), f"nothing of it stays: {screen.lines}")
    must(screen.colors > 0, "the head line is bold on a terminal")


def check_no_color(folder):
    _, screen = on_terminal([gridlock, "run", "uneven_batches/join", "--output", "plain"], folder,
                            environment={"NO_COLOR": "1"})
    must(screen.colors == 0, "NO_COLOR is respected")


def check_narrow(folder):
    seen = Seen(r"^\[\d+/2")
    code, screen = on_terminal([gridlock, "run", "uneven_batches/padding_sampler", "uneven_batches/stop_together",
                                "--output", "narrow"], folder, columns=60, looks=seen)
    must(code == 0, f"a narrow terminal: {screen.lines}")
    must(not any(line.startswith("[") for line in screen.wide), f"no line is too wide: {screen.wide}")
    must(seen.any(r"^\[1/2\] .*\d s so far, about \d s left"), "a long name leaves room for the times", seen)


def check_piped(folder):
    done = subprocess.run([gridlock, "run", "uneven_batches", "--output", "piped"], cwd=folder, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    must("\033" not in done.stdout and "\r" not in done.stdout, "piped output is plain")
    lines = [line for line in done.stdout.splitlines() if line.startswith("ok ")]
    must(len(lines) == 8, f"piped, each run has a line: {done.stdout}")
    quiet = subprocess.run([gridlock, "run", "uneven_batches/join", "--output", "quiet", "--quiet"], cwd=folder,
                           text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    must("ok " not in quiet.stdout and "1 run" in quiet.stdout, f"--quiet leaves the table: {quiet.stdout}")


def check_soak(folder):
    seen = Seen(r"^\[\d+\]")
    code, screen = on_terminal([gridlock, "soak", "--for", "4s", "--seed", "1", "uneven_batches", "--output", "soak"],
                               folder, looks=seen)
    must(code == 0, f"the soak ends with 0, not {code}: {screen.lines}")
    must(seen.any(r"^\[\d+\] uneven_batches/\w+, .*so far, \d s left"), "it shows the time left", seen)


def check_groups(folder):
    # Its runs last long enough to be looked at.
    seen = Seen(r"^\[\d+/")
    on_terminal([gridlock, "run", "slow_checkpoint", "--output", "groups"], folder, looks=seen)
    must(seen.any(r'^  ranks? \d.* (in|after) .*#\d+'), "it shows groups of ranks and the operation they are at", seen)
    must(seen.most <= 8, f"it has a few lines, not {seen.most}", seen)


def check_watch(folder):
    program = "import time; time.sleep(4)"
    seen = Seen(r"^gridlock: ")
    code, screen = on_terminal([gridlock, "watch", "-n", "3", "--output", "watch", "--", sys.executable, "-c", program],
                               folder, looks=seen)
    must(code == 0, f"the watch ends with 0, not {code}: {screen.lines}")
    must(seen.any(r"^gridlock: python\S* since 0:0\d"), "it shows that it lives", seen)
    must(seen.any(r"^  ranks 0-2 "), "equal ranks share a line", seen)
    must(screen.scrolled == 0, "it does not scroll")


with tempfile.TemporaryDirectory(prefix="gridlock-live-") as name:
    for check in (check_run, check_no_color, check_narrow, check_piped, check_groups, check_soak, check_watch):
        check(name)
print("the live view does as it should")
