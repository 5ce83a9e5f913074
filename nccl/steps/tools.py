"""Finds the compilers."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from .trouble import Trouble

OLDEST_CLANG = 19  # the first that was tried and knows sm_90 with all that NCCL uses


@dataclass(frozen=True)
class Tool:
    path: str
    version: str
    through: tuple = ()  # what it is started by

    @property
    def command(self):
        return [*self.through, self.path]


def version_of(path):
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else ""


def major(version):
    found = re.search(r"version (\d+)\.", version)
    return int(found.group(1)) if found else 0


def clang():
    """The newest clang++ on the path."""
    names = [f"clang++-{n}" for n in range(40, OLDEST_CLANG - 1, -1)] + ["clang++"]
    named = os.environ.get("GRIDLOCK_CLANG")
    too_old = None
    for name in [named] if named else names:
        path = shutil.which(name)
        if path is None:
            continue
        version = version_of(path)
        if major(version) >= OLDEST_CLANG:
            return Tool(path, version)
        too_old = f"{path} is clang {major(version)}"
    what = too_old or (f"there is no {named}" if named else "there is no clang++")
    raise Trouble(
        f"{what}, and NCCL's device code needs clang {OLDEST_CLANG} or newer:"
        f" install clang-{OLDEST_CLANG}, or name another in GRIDLOCK_CLANG"
    )


def gxx():
    path = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("g++")
    if path is None:
        raise Trouble("there is no g++, which compiles NCCL's host code: install g++")
    ccache = shutil.which("ccache")
    return Tool(path, version_of(path), (ccache,) if ccache else ())
