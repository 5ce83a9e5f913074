"""Gets NCCL's source: from a tarball, from a folder, or from its public repository."""

import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from .trouble import Trouble, first_line

REPOSITORY = "https://github.com/NVIDIA/nccl"
# A tree without one of these is not NCCL's source, or not all of it.
NEEDED = (
    "LICENSE.txt",
    "makefiles/version.mk",
    "src/init.cc",
    "src/enqueue.cc",
    "src/nccl.h.in",
    "src/transport/p2p.cc",
)
DEVICE_CODE = ("src/device/common.cu", "src/device/generate.py", "src/include/device.h")
DEVICE_CODE_BEFORE_2_19 = (
    "src/collectives/device/functions.cu",
    "src/collectives/device/common.h",
    "src/include/devcomm.h",
)


def fetch(source, version, into):
    """Puts the tree of `version` at `into`, and says where it came from."""
    if source is None or source == "git":
        clone(version, into)
        return f"{REPOSITORY} {version.tag}"
    path = Path(source).resolve()
    if path.is_dir() and not (path / "src").is_dir():
        path = tarball_in(path, version)
    if path.is_dir():
        copy(path, into)
    elif path.is_file():
        unpack(path, into)
    else:
        raise Trouble(f"there is no {path}; --source names a tarball or a folder of NCCL's source")
    check(into, version, path)
    return str(path)


def tarball_in(folder, version):
    found = sorted(folder.glob(f"nccl-{version.name}-*.tar*"))
    if not found:
        raise Trouble(
            f"{folder} holds neither NCCL's src nor a tarball nccl-{version.name}-1.tar.xz;"
            " name one of them with --source"
        )
    return found[0]


def copy(path, into):
    for part in ("src", "makefiles"):
        if (path / part).is_dir():
            shutil.copytree(path / part, into / part)
    for part in path.glob("LICENSE*"):
        shutil.copy(part, into)


def unpack(path, into):
    try:
        with tarfile.open(path) as archive:
            archive.extractall(into, members=inside(archive))
    except (tarfile.TarError, EOFError, ValueError) as error:
        why = first_line(str(error)).rstrip(":")
        raise Trouble(f"{path} cannot be unpacked ({why}); get it again") from error
    except OSError as error:
        if error.errno is None:  # a damaged stream
            raise Trouble(f"{path} cannot be unpacked ({error}); get it again") from error
        raise


def inside(archive):
    """The members below the tarball's one folder, without it, and nothing that leads out of it."""
    for member in archive:
        parts = Path(member.name).parts[1:]
        if not parts or ".." in parts or not (member.isfile() or member.isdir()):
            continue
        member.name = str(Path(*parts))
        member.mode |= 0o700 if member.isdir() else 0o600
        yield member


def clone(version, into):
    command = ["git", "clone", "--quiet", "--depth", "1", "-b", version.tag, REPOSITORY, str(into)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Trouble("git is not installed; install it, or name the source with --source") from error
    if done.returncode != 0:
        raise Trouble(
            f"{REPOSITORY} {version.tag} could not be had ({first_line(done.stderr)});"
            " name a tarball or a folder with --source"
        )
    check(into, version, REPOSITORY)


def check(tree, version, origin):
    device_code = DEVICE_CODE if version.code >= 21900 else DEVICE_CODE_BEFORE_2_19
    for part in NEEDED + device_code:
        if not (tree / part).is_file():
            raise Trouble(f"{origin} is no whole source of NCCL: {part} is missing; get it again")
    numbers = dict(
        line.replace(" ", "").split(":=", 1)
        for line in (tree / "makefiles/version.mk").read_text().splitlines()
        if ":=" in line
    )
    found = ".".join(numbers.get(f"NCCL_{part}", "?") for part in ("MAJOR", "MINOR", "PATCH"))
    if found != version.name:
        raise Trouble(f"{origin} is NCCL {found}, not {version.name}; name the right one")


def edit(tree, version):
    """The few words that the compilers need, told as sentences."""
    told = []
    for file, words, other in version.edits:
        path = tree / file
        text = path.read_text()
        if text.count(words) == 1:
            path.write_text(text.replace(words, other))
            told.append(f"{file}: '{words}' became '{other}'")
    return told + ask_often(tree)


# A kernel that spins asks only every so many rounds whether its communicator is aborted. On a GPU they take
# a millisecond. Here a warp that spins sleeps between rounds, and an abort would take minutes.
ROUNDS = re.compile(r"(#define NCCL_SPINS_BEFORE_CHECK_ABORT) (\d+)")


def ask_often(tree):
    told = []
    for folder in ("src/device", "src/collectives/device"):  # the latter before 2.19
        path = tree / folder / "primitives.h"
        if path.exists() and (found := ROUNDS.search(text := path.read_text())):
            path.write_text(ROUNDS.sub(r"\1 10", text))
            told.append(f"{folder}/primitives.h: {found[2]} rounds between two looks for an abort became 10")
    return told
