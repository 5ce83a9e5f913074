"""The versions of NCCL that are known to build, and what each needs. A new version is a row here."""

from dataclasses import dataclass

from .trouble import Trouble

# NCCL before 2.27 was written for CUDA 12's signatures.
CUDA_12 = ("-DCUDART_VERSION=12080",)


@dataclass(frozen=True)
class Version:
    name: str
    flags: tuple = ()
    # (file, old text, new text): changes that clang needs, made in our copy of the source.
    edits: tuple = ()

    @property
    def tag(self):
        return f"v{self.name}-1"

    @property
    def code(self):
        major, minor, patch = (int(part) for part in self.name.split("."))
        return major * 10000 + minor * 100 + patch


# Symmetric kernels call it on the device. nvcc allows that with --expt-relaxed-constexpr.
DECLVAL = (
    "src/include/nccl_device/utility.h",
    "T&& declval() noexcept {",
    "__host__ __device__ T&& declval() noexcept {",
)

VERSIONS = {
    version.name: version
    for version in (
        Version("2.18.3", flags=CUDA_12),
        Version("2.19.4", flags=CUDA_12),
        Version("2.20.5", flags=CUDA_12),
        Version("2.21.5", flags=CUDA_12),
        Version("2.22.3", flags=CUDA_12),
        Version("2.23.4", flags=CUDA_12),
        Version("2.25.1", flags=CUDA_12),
        Version("2.26.2", flags=CUDA_12),
        Version("2.26.5", flags=CUDA_12),
        Version("2.27.7"),
        Version("2.28.9", edits=(DECLVAL,)),
        Version("2.29.3", edits=(DECLVAL,)),
        Version("2.30.7", edits=(DECLVAL,)),
    )
}


def version(name):
    """The row of a name such as 2.28.9, v2.28.9 or 2.28.9-1."""
    plain = name.removeprefix("v").removesuffix("-1")
    if plain not in VERSIONS:
        raise Trouble(f"NCCL {name} is not known; there are {', '.join(VERSIONS)}")
    return VERSIONS[plain]
