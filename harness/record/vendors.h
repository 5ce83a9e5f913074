// Whose code a library holds, judged by its file name, which the vendor chooses and not the
// program.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gridlock::record {

// Whether the library at `path` belongs to CUDA, NCCL, MPI, a library beneath them, or the
// simulation.
constexpr bool is_vendors(std::string_view path) {
  constexpr std::array<std::string_view, 15> kStems{
      "libcuda",   "libnccl",    "libnvidia", "libcublas",  "libcudnn",
      "libmpi",    "libmpich",   "libopen-",  "libpmi",     "libuc",
      "libfabric", "libibverbs", "libmlx",    "libnvshmem", "libgridlock_cuda"};
  const std::string_view file = path.substr(path.rfind('/') + 1);  // all of it if there is no '/'
  return std::any_of(kStems.begin(), kStems.end(),
                     [&](std::string_view stem) { return file.starts_with(stem); });
}

}  // namespace gridlock::record
