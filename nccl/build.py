#!/usr/bin/env python3
"""Builds the real NCCL from its source for the simulated CUDA: no GPU, no file of NVIDIA's SDK.

Makes OUT/VERSION with libnccl.so.2, its header and its device code. docs/real_nccl.md tells more.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from steps import device, headers, host, modules, source, tools
from steps.folder import Folder
from steps.trouble import Trouble, of_machine
from steps.versions import VERSIONS, version

HERE = Path(__file__).resolve().parent
# Replaces a fat binary: device code is in files beside the library.
BINARY = "gridlock modules 1\nptx\n"
COMPILE = """#!/usr/bin/env python3
# Compiles the module that is named, for the simulated CUDA, when it is first used.
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from steps.device import compile_when_used
from steps.trouble import Trouble, of_machine

try:
    compile_when_used(HERE, sys.argv[1])
except Trouble as trouble:
    sys.exit(str(trouble))
except OSError as error:
    sys.exit(of_machine(error))
"""


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", metavar="VERSION", help=f"one of {', '.join(VERSIONS)}")
    parser.add_argument("--source", help="a tarball, a folder, or git (the default)")
    parser.add_argument("--out", type=Path, required=True, help="the folder for all versions")
    parser.add_argument("--headers", type=Path, required=True, help="the simulation's headers")
    parser.add_argument("--cuda", type=Path, required=True, help="where libgridlock_cuda.so lies")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def key_of(wanted, asked, clang, gxx):
    """Changes with everything that the result depends on."""
    sums = hashlib.sha256(repr((wanted, clang, gxx, str(asked.cuda.resolve()))).encode())
    sums.update(headers.digest_of(asked.headers, HERE).encode())
    path = Path(asked.source or "git")
    if path.is_dir() and not (path / "src").is_dir():
        path = source.tarball_in(path, wanted)
    if path.is_file():
        sums.update(path.read_bytes())
    elif path.is_dir():
        sums.update(headers.digest_of(path / "src").encode())
    return sums.hexdigest()[:16]


def in_parallel(jobs, tasks):
    """Does all of `tasks`; after the first that fails, none that has not begun."""
    with ThreadPoolExecutor(jobs) as pool:
        begun = [pool.submit(task) for task in tasks]
        try:
            return [done.result() for done in as_completed(begun)]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def build(folder, wanted, asked, clang, gxx):
    origin = source.fetch(asked.source, wanted, folder.tree)
    changed = source.edit(folder.tree, wanted)
    # Leaves out the simulated NCCL's header, because the real one has its own.
    shutil.copytree(asked.headers, folder.cuda, ignore=shutil.ignore_patterns("nccl.h"))
    headers.write_generated(folder, wanted)
    index = modules.write_modules(folder)
    folder.objects.mkdir()
    folder.ptx.mkdir()
    binary = folder.objects / "binary"
    binary.write_text(BINARY)
    taken, left_out = host.sources(folder)
    flags = host.flags_of(folder, wanted)
    objects = []

    def compile_host(path):
        return lambda: objects.append(host.compile_one(folder, path, gxx, flags))

    def compile_device(name):
        return lambda: device.compile_module(folder, name, clang.path, wanted.flags)

    def compile_one_rank():
        if made := host.compile_one_rank(folder, clang.path, wanted, binary):
            objects.append(made)
            index.update((kernel, "onerank") for kernel in host.one_rank_kernels(made))

    tasks = [compile_host(path) for path in [*taken, *host.generated_sources(folder)]]
    tasks += [compile_device(name) for name in modules.first_modules(folder)] + [compile_one_rank]
    in_parallel(asked.jobs, tasks)

    kernels, refusing = host.missing_kernels(objects)
    stubs = folder.objects / "stubs.cc"
    host.write_stubs(stubs, kernels, refusing, host.linked_binaries(objects), BINARY)
    ours = [stubs, *(Path(shutil.copy(HERE / name, folder.objects)) for name in host.WRAPPED)]
    ours_flags = ["-fPIC", "-O1", "-std=c++20"]
    objects += [host.compile_one(folder, path, gxx, ours_flags) for path in ours]
    host.link(folder, gxx.path, sorted(objects), asked.cuda.resolve())
    for kernel in kernels:
        if module := modules.module_of_kernel(kernel, folder, index):
            index[kernel] = module
    modules.write_index(folder, index)
    shutil.copytree(HERE / "steps", folder.root / "steps", ignore=shutil.ignore_patterns("__py*"))
    (folder.root / "compile").write_text(COMPILE)
    (folder.root / "compile").chmod(0o755)
    shutil.rmtree(folder.objects)
    return {
        "version": wanted.name,
        "origin": origin,
        "changed": changed,
        "left_out": [*left_out, *modules.LEFT_OUT],
        "refuses": refusing,
        "clang": clang.path,
        "compilers": [clang.version, gxx.version],
    }


def build_beside(asked, wanted, clang, gxx, key):
    """Builds in a folder of its own, which gets the right name when all is done."""
    final = Folder(asked.out / wanted.name)
    temporary = asked.out / f".gridlock-{wanted.name}-{os.getpid()}"
    begin = time.monotonic()
    try:
        temporary.mkdir()
        folder = Folder(temporary.resolve())
        record = build(folder, wanted, asked, clang, gxx)
        seconds = round(time.monotonic() - begin, 1)
        folder.write_record(record | {"key": key, "seconds": seconds})
        if final.root.exists():
            shutil.rmtree(final.root)
        temporary.rename(final.root)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    print(f"NCCL {wanted.name} is built in {seconds} s: {final.root}")


def main():
    asked = options()
    wanted = version(asked.version)
    if not (asked.headers / "cuda_runtime.h").is_file():
        raise Trouble(f"{asked.headers} holds no cuda_runtime.h; name sim/include with --headers")
    if not (asked.cuda / "libgridlock_cuda.so").is_file():
        raise Trouble(f"{asked.cuda} holds no libgridlock_cuda.so; build Gridlock first")
    clang, gxx = tools.clang(), tools.gxx()
    asked.out.mkdir(parents=True, exist_ok=True)
    with open(asked.out / f".{wanted.name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        key = key_of(wanted, asked, clang, gxx)
        if Folder(asked.out / wanted.name).record().get("key") == key:
            print(f"NCCL {wanted.name} is there: {asked.out / wanted.name}")
            return
        build_beside(asked, wanted, clang, gxx, key)


if __name__ == "__main__":
    # A background shell may ignore these signals. Handle them, so that a half-done build is removed.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Trouble as trouble:
        sys.exit(f"nccl/build.py: {trouble}")
    except OSError as error:
        sys.exit(f"nccl/build.py: {of_machine(error)}")
    except KeyboardInterrupt:
        sys.exit(130)
