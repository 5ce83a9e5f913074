"""Headers: NCCL's own, which it generates, and the proof that none is of NVIDIA's SDK."""

import hashlib
from pathlib import Path

from .trouble import Trouble

# Names of CUDA SDK headers. Only the simulation's headers may be found under these names.
SDK = ("cuda", "cooperative_groups", "driver_types", "vector_types", "nvtx3", "nvml", "device_types")


def write_generated(folder, version):
    """nccl.h and what else NCCL's makefiles write."""
    text = (folder.tree / "src/nccl.h.in").read_text()
    major, minor, patch = version.name.split(".")
    for name, value in {
        "Major": major,
        "Minor": minor,
        "Patch": patch,
        "Suffix": "",
        "Version": str(version.code),
    }.items():
        text = text.replace("${nccl:%s}" % name, value)
    folder.include.mkdir(parents=True)
    (folder.include / "nccl.h").write_text(text)
    folder.generated.mkdir(parents=True, exist_ok=True)
    for prefix, file in ("", "git_version.h"), ("NCCL_", "nccl_git_version.h"):  # 2.29; 2.30
        (folder.generated / file).write_text(
            "#pragma once\n"
            f'#define {prefix}GIT_BRANCH "{version.tag}"\n'
            f'#define {prefix}GIT_COMMIT_HASH "release"\n'
            f'#define {prefix}GIT_VERSION "{version.tag}"\n'
        )


def digest_of(*roots):
    """Of all files below the roots, by name and content."""
    sums = hashlib.sha256()
    for root in roots:
        for path in sorted(p for p in Path(root).rglob("*") if p.is_file() and p.suffix != ".pyc"):
            sums.update(str(path.relative_to(root)).encode())
            sums.update(path.read_bytes())
    return sums.hexdigest()[:16]


def check_dependencies(dependency_file, allowed, folder="."):
    """Fails where a compiler, run in `folder`, read a CUDA header that is not below `allowed`."""
    words = dependency_file.read_text().replace("\\\n", " ").split()
    for word in words[1:]:
        path = (Path(folder) / word).resolve()
        if any(path.is_relative_to(root) for root in allowed) or "cuda_wrappers" in path.parts:
            continue
        if any(part.startswith(SDK) for part in path.parts[-2:]):
            raise Trouble(
                f"{path} is a header of another CUDA, which this build must not use;"
                " take its folder out of CPATH and the compiler's default folders"
            )
