"""Splits NCCL's device code into modules, one for each function, and says which module has what.

NCCL's own generator (src/device/generate.py) writes one file for each collective, operation and
type. One of them takes seven seconds to compile, and a run needs one or two functions of it. So
each function becomes a module of its own, which is compiled when it is first used.
"""

import re
import subprocess
import sys

from . import macros
from .names import mangled, plain_name
from .trouble import Trouble, first_line

# Left out: COLLNET and NVLS. They need a switch that reduces, and therefore `multimem` on addresses
# that no simulated device has. NCCL's generator maps them to a function that does nothing, and
# NCCL's tuning never chooses them without such a switch.
FUNCTIONS = (
    "SendRecv|AllGather (RING|PAT) *|AllGatherV RING *|Broadcast * *"
    "|(AllReduce|Reduce|ReduceScatter) * * (RING|TREE|PAT) *"
)
LEFT_OUT = ("COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE")

INDEX = "index"
DEFINITION = re.compile(r"DEFINE_ncclDev(Func|Kernel)(?:_nop)?\((\w+),")


def generate(script, into, *arguments):
    done = subprocess.run(
        [sys.executable, str(script), str(into), *arguments],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Trouble(f"NCCL's generator {script} failed: {first_line(done.stderr)}")


def write_modules(folder):
    """Writes a source file for each module, and the index of functions and variables."""
    device = folder.tree / "src/device"
    if not device.is_dir():
        return macros.write_modules(folder, LEFT_OUT)
    generated = folder.generated / "device"
    generate(device / "generate.py", generated, FUNCTIONS)
    folder.modules.mkdir(parents=True)
    index = {"ncclShmem": "common", "ncclDevFuncTable": "device_table"}
    for path in sorted(generated.glob("*.cu")):
        if path.name == "device_table.cu":
            continue
        head, pieces = split(path.read_text())
        for name, text in pieces.items():
            (folder.modules / f"{name}.cu").write_text(head + text)
            index[mangled(f"ncclDevFunc_{name}") + "v"] = name
    (folder.modules / "device_table.cu").write_text((generated / "device_table.cu").read_text())
    for name in ("common", "onerank"):
        if (device / f"{name}.cu").is_file():
            (folder.modules / f"{name}.cu").write_text(f'#include "device/{name}.cu"\n')
    index[mangled("ncclDevFunc_Nop") + "v"] = "common"
    write_symmetric_modules(folder)
    return index


def write_symmetric_modules(folder):
    script = folder.tree / "src/device/symmetric/generate.py"
    if not script.is_file():
        return
    generated = folder.generated / "symmetric"
    generate(script, generated)
    for path in sorted(generated.glob("*.cu")):
        if "__global__" in path.read_text():
            (folder.modules / f"symmetric_{path.name}").write_text(path.read_text())


def split(text):
    """The includes, and by symbol what defines its function and its kernel."""
    head, pieces, block, depth = [], {}, [], 0
    for line in text.splitlines(keepends=True):
        if line.startswith("#include"):
            head.append(line)
            continue
        word = line.strip()
        depth += word.startswith("#if") - word.startswith("#endif")
        block.append(line)
        if depth:
            continue
        names = {found.group(2) for found in DEFINITION.finditer("".join(block))}
        for name in names:
            pieces[name] = pieces.get(name, "") + "".join(block)
        block = []
    return "".join(head), pieces


def module_of_kernel(symbol, folder, index):
    """The module of a kernel, by the mangled name that NCCL's host code has for it."""
    name = plain_name(symbol)
    if name is None:
        return None
    if name.startswith("ncclKernel_"):
        return macros.module_of_kernel(name, index)
    if name == "ncclDevKernel_Generic":
        return "common"
    plain = name.removeprefix("ncclDevKernel_")
    if plain != name and (folder.modules / f"{plain}.cu").is_file():
        return plain
    for path in sorted(folder.modules.glob("symmetric_*.cu")):
        if re.search(rf"\b{name}\(", path.read_text()):
            return path.stem
    return None


def write_index(folder, index):
    lines = "".join(f"{symbol} {module}\n" for symbol, module in sorted(index.items()))
    folder.ptx.mkdir(exist_ok=True)
    (folder.ptx / INDEX).write_text(lines)


def first_modules(folder):
    """What most programs use: compiled with the library. The others are when first used."""
    wanted = re.compile(
        r"common|device_table|functions|SendRecv|(AllGather|Broadcast)_RING_LL"
        r"|AllReduce_Sum_f32_(RING|TREE)_(LL|SIMPLE)|AllReduce_(Sum|MinMax)_u32_RING_LL"
    )
    return sorted(p.stem for p in folder.modules.glob("*.cu") if wanted.fullmatch(p.stem))
