"""Compiles one module of device code to PTX, by way of LLVM's text."""

import fcntl
import os
import re
import subprocess
from pathlib import Path

from . import tools
from .folder import Folder
from .headers import check_dependencies
from .parameters import mark_only_read
from .trouble import Trouble, first_line
from .versions import version

ARCHITECTURE = "sm_90"
DEFINES = ("-DNCCL_OS_LINUX", "-DNCCL_GIN_GDAKI_ENABLE=0", "-DNCCL_GIN_GPI_ENABLE=0")


def includes(folder):
    source = folder.tree / "src"
    paths = [folder.cuda, folder.include, folder.generated]
    paths += [source / "device", source / "collectives/device"]  # the latter before 2.19
    paths += [source / "include", source / "include/plugin", source]
    return [f"-I{path}" for path in paths]


def language(folder, flags):
    """What both passes of a .cu file share: no file of NVIDIA's SDK, our own headers."""
    return [
        *("-x", "cuda", "-nocudainc", "-nocudalib", f"--cuda-gpu-arch={ARCHITECTURE}"),
        *("-std=c++17", "-O2", "-w", "-Wno-unknown-cuda-version"),
        "-cuid=nccl",  # in the names of what a file has for itself: the same in both passes
        *("-include", "cuda_runtime.h"),
        *includes(folder),
        *DEFINES,
        *flags,
    ]


def compile_module(folder, name, clang, flags):
    """Makes ptx/NAME.ptx, once, also where several processes ask for it at the same time."""
    wanted = folder.ptx / f"{name}.ptx"
    source = folder.modules / f"{name}.cu"
    if not source.is_file():
        raise Trouble(f"NCCL has no device module {name}")
    with open(folder.ptx / f".{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if wanted.is_file():
            return
        made, ir, needs = (folder.ptx / f".{name}.{os.getpid()}.{end}" for end in ("ptx", "ll", "d"))
        try:
            command = [clang, "--cuda-device-only", "-S", "-emit-llvm", "-fgpu-rdc"]
            command += ["-Xclang", "-fcuda-allow-variadic-functions"]
            # NCCL before 2.19 gives a function pointers without a value, which it does not use then
            # (ncclKernel in common.h). clang would take for granted that no thread comes there.
            command += ["-Xclang", "-no-enable-noundef-analysis"]
            command += [*language(folder, flags), "-MD", "-MF", needs, "-o", ir, source]
            run(command, name)
            check_dependencies(needs, [folder.root, clang_headers(clang)])
            text = ir.read_text()
            ir.write_text(mark_only_read(text))
            command = [clang, "--target=nvptx64-nvidia-cuda", f"-march={ARCHITECTURE}", "-O2", "-w"]
            run([*command, *features(text), "-S", "-o", made, "-x", "ir", ir], name)
            made.rename(wanted)
        finally:
            for file in (made, ir, needs):
                file.unlink(missing_ok=True)
            (folder.ptx / f".{name}.lock").unlink(missing_ok=True)


def run(command, name):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"clang cannot compile {name}: {first_line(done.stderr)}")


def features(module):
    """The version of PTX that the first step chose, for the second."""
    known = re.search(r'"target-features"="([^"]+)"', module)
    for feature in known.group(1).split(",") if known else ():
        yield from ("-Xclang", "-target-feature", "-Xclang", feature)


def clang_headers(clang):
    done = subprocess.run(
        [clang, "-print-resource-dir"], capture_output=True, text=True, check=False
    )
    return Path(done.stdout.strip() or "/nonexistent").resolve()


def compile_when_used(root, name):
    """What the script `compile` in a built folder does."""
    folder = Folder(Path(root))
    record = folder.record()
    if not record:
        raise Trouble(f"{root} holds no complete NCCL; build it again")
    clang = record["clang"] if os.access(record["clang"], os.X_OK) else tools.clang().path
    compile_module(folder, name, clang, version(record["version"]).flags)
