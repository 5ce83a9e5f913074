"""Compiles NCCL's host code and links the library."""

import re
import subprocess

from .device import DEFINES, includes, language
from .headers import check_dependencies
from .names import plain_name
from .trouble import Trouble, first_line

# Left out: RAS's command-line client, files that only another operating system or NVIDIA's static
# runtime needs, and the libraries with which a GPU drives an InfiniBand card (DOCA).
LEFT_OUT = re.compile(
    r"^device/|(^|/)enhcompat\.cc$|(^|/)ras/client\.cc$|^os/windows|doca-gpunetio/|_stub\.cc$"
)
# Functions from the files left out that host code still calls. Stubs return an error.
REFUSES = re.compile(r"^(doca_|_Z\w*(doca|gdaki|ncclGin))")
# Our files that stand before functions of the C library in NCCL's own calls, and these functions.
WRAPPED = {
    "pauses.cc": ("recv", "send", "accept", "poll", "sched_yield", "usleep"),
    "segments.cc": ("mkstemp", "open", "unlink", "fallocate", "posix_fallocate"),
}
# How the names of kernels begin: before 2.19, since then, and symmetric ones in 2.27 and later.
KERNELS = ("ncclKernel_", "ncclDevK", "ncclSymDevK", "ncclSymkDevK")


def sources(folder):
    """The host files to compile, and those that are left out, relative to NCCL's src."""
    root = folder.tree / "src"
    taken, left_out = [], []
    for path in sorted(root.rglob("*.c*")):
        if path.suffix not in (".cc", ".cpp"):
            continue
        name = str(path.relative_to(root))
        (left_out if LEFT_OUT.search(name) else taken).append(name)
    return [root / name for name in taken], [n for n in left_out if not n.startswith("device/")]


def generated_sources(folder):
    return sorted(folder.generated.rglob("*.cc"))


def flags_of(folder, version):
    source = folder.tree / "src"
    extra = [f"-I{source / part}" for part in ("graph", "transport", "ras")]
    extra += [f"-I{path.parent}" for path in source.glob("include/os/os.h")]  # 2.29
    extra += [f"-I{path}" for path in sorted(source.rglob("doca-gpunetio/include"))]
    return [
        # The C library's checked functions, which some compilers choose, would pass by WRAPPED.
        "-U_FORTIFY_SOURCE",
        *("-std=c++17", "-O1", "-fPIC", "-w", "-DCUDA_MAJOR=13", "-DCUDA_MINOR=0", "-DPROFAPI"),
        # As with -O2, malloc and memset become calloc. Each rank sets tens of MiB to 0 that it then
        # hardly touches, and that was half of its time.
        "-foptimize-strlen",
        *includes(folder),
        *extra,
        *DEFINES,
        *version.flags,
    ]


def run(command, what, folder=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        raise Trouble(f"{what}: {first_line(done.stderr)}")
    return done.stdout


def compile_one(folder, path, gxx, flags):
    relative = path.relative_to(folder.root)
    made = folder.objects / (str(relative).replace("/", "_") + ".o")
    needs = made.with_suffix(".d")
    # Relative names, so that ccache recognizes them in the next build.
    flags = [flag.replace(f"-I{folder.root}/", "-I") for flag in flags]
    command = [*gxx.command, *flags, "-MD", "-MF", needs, "-c", "-o", made, relative]
    run(command, f"{gxx.path} cannot compile {relative}", folder.root)
    check_dependencies(needs, [folder.root], folder.root)
    return made


def compile_one_rank(folder, clang, version, binary):
    """onerank.cu has host code that launches kernels of its own file: clang's host pass."""
    path = folder.tree / "src/device/onerank.cu"
    if not path.is_file():
        return None
    made = folder.objects / "onerank.o"
    command = [clang, "--cuda-host-only", "-fgpu-rdc", "-fPIC", *language(folder, version.flags)]
    command += ["-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(binary)]
    run([*command, "-c", "-o", made, path], "clang cannot compile device/onerank.cu for the host")
    return made


def symbols(objects, kind):
    """Of all objects: those that are defined, or those that are not."""
    found = set()
    for line in run(["nm", "-P", *objects], "nm failed").splitlines():
        words = line.split()
        if len(words) < 2 or words[0].endswith(":"):
            continue
        if (words[1] in "Uw") == (kind == "undefined"):
            found.add(words[0])
    return found


def one_rank_kernels(made):
    """By the names under which clang registers them."""
    return sorted({s.decode() for s in re.findall(rb"_Z\w*13oneRankReduce\w+", made.read_bytes())})


def missing_kernels(objects):
    missing = symbols(objects, "undefined") - symbols(objects, "defined")
    kernels = {s for s in missing if (plain_name(s) or "").startswith(KERNELS)}
    return sorted(kernels), sorted(s for s in missing - kernels if REFUSES.search(s))


def linked_binaries(objects):
    """What relocatable device code calls to be registered: nvlink would have made it."""
    return sorted(s for s in symbols(objects, "undefined") if "__cudaRegisterLinkedBinary" in s)


def write_stubs(path, kernels, refusing, linked, binary):
    """Host functions for the kernels, as nvcc makes them, and those that refuse."""
    lines = ["// Written by nccl/build.py."]
    lines += [f'extern "C" int gridlock_refuses_{n}() __asm__("{s}");' for n, s in enumerate(refusing)]
    lines += [f'extern "C" int gridlock_refuses_{n}() {{ return 3; }}' for n in range(len(refusing))]
    lines += [f'extern "C" void gridlock_kernel_{n}() __asm__("{s}");' for n, s in enumerate(kernels)]
    lines += [
        f'extern "C" void gridlock_kernel_{n}() {{ __asm__ volatile("# {n}"); }}'
        for n in range(len(kernels))
    ]
    lines.append(f"static const char kBinary[] = {c_text(binary)};")
    lines.append(
        "static struct { int magic, version; const void* data; void* next; } wrapper = "
        "{0x466243b1, 1, kBinary, nullptr};"
    )
    lines.append(
        'extern "C" void** __cudaRegisterFatBinary(void*);\n'
        'extern "C" void __cudaRegisterFatBinaryEnd(void**);\n'
        'extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int,\n'
        "                                       void*, void*, void*, void*, int*);\n"
        "static const struct { void (*stub)(); const char* name; } kKernels[] = {"
    )
    lines += [f'  {{gridlock_kernel_{n}, "{s}"}},' for n, s in enumerate(kernels)]
    lines.append(
        "};\n"
        "[[gnu::constructor]] static void register_kernels() {\n"
        "  void** handle = __cudaRegisterFatBinary(&wrapper);\n"
        "  for (const auto& kernel : kKernels)\n"
        "    __cudaRegisterFunction(handle, reinterpret_cast<const char*>(kernel.stub),\n"
        "                           const_cast<char*>(kernel.name), kernel.name, -1, nullptr,\n"
        "                           nullptr, nullptr, nullptr, nullptr);\n"
        "  __cudaRegisterFatBinaryEnd(handle);\n"
        "}"
    )
    lines += [
        f'extern "C" void {s}(void (*globals)(void**), void* binary, void*, void*) {{\n'
        "  void** handle = __cudaRegisterFatBinary(binary);\n"
        "  globals(handle);\n"
        "  __cudaRegisterFatBinaryEnd(handle);\n"
        "}"
        for s in linked
    ]
    path.write_text("\n".join(lines) + "\n")


def c_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def link(folder, gxx, objects, cuda_library):
    command = [gxx, "-shared", "-Wl,-soname,libnccl.so.2", "-Wl,--no-undefined", "-s"]
    script = folder.tree / "src/libnccl.map"
    if script.is_file():
        command.append(f"-Wl,--version-script={script}")
    command += [f"-Wl,--wrap={name}" for names in WRAPPED.values() for name in names]
    command += ["-o", folder.library, *objects, f"-L{cuda_library}", "-lgridlock_cuda"]
    command += [f"-Wl,--enable-new-dtags,-rpath,{cuda_library}", "-lpthread", "-lrt", "-ldl"]
    run(command, "NCCL cannot be linked")
