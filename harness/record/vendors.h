// Whose code a library holds, judged by its file name, which the vendor chooses and not the
// program.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gridlock::record {

constexpr std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // all of it if there is no '/'
}

// Whether the library at `path` may belong to CUDA, NCCL, MPI, a library beneath them, or the
// simulation. The libraries of others that have similar names count too.
constexpr bool may_be_vendors(std::string_view path) {
  constexpr std::array<std::string_view, 15> kStems{
      "libcuda",   "libnccl",    "libnvidia", "libcublas",  "libcudnn",
      "libmpi",    "libmpich",   "libopen-",  "libpmi",     "libuc",
      "libfabric", "libibverbs", "libmlx",    "libnvshmem", "libgridlock_cuda"};
  return std::any_of(kStems.begin(), kStems.end(),
                     [&](std::string_view stem) { return file_name(path).starts_with(stem); });
}

// Whether it certainly does: "libcuda.so.1" is the vendor's, "libcuda_watchdog.so" is not. Python's
// packages put a hash into some names ("libcudart-9335f6a2.so.12").
constexpr bool is_vendors(std::string_view path) {
  constexpr std::array<std::string_view, 27> kNames{
      "libcuda",    "libcudart",    "libcudadebugger", "libnccl",   "libcublas", "libcublasLt",
      "libcudnn",   "libmpi",       "libmpi_cxx",      "libmpicxx", "libmpich",  "libmpichcxx",
      "libmpifort", "libmpichfort", "libpmi",          "libpmi2",   "libpmix",   "libuct",
      "libucp",     "libucs",       "libucm",          "libucc",    "libfabric", "libibverbs",
      "libnvshmem", "libmlx5",      "libgridlock_cuda"};
  // No one else uses these.
  constexpr std::array<std::string_view, 9> kFamilies{"libnvidia-",   "libcudnn_", "libopen-pal.",
                                                      "libopen-rte.", "libuct_",   "libucs_",
                                                      "libucm_",      "libmlx5-",  "libnvshmem_"};
  const std::string_view file = file_name(path);
  const std::size_t dot = file.find('.');
  if (dot == std::string_view::npos) return false;
  const std::size_t dash = file.rfind('-', dot);
  constexpr std::size_t kHash = 8;
  const bool has_hash =
      dash != std::string_view::npos && dot - dash - 1 == kHash &&
      file.substr(dash + 1, kHash).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  const std::string_view name = file.substr(0, has_hash ? dash : dot);
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](std::string_view family) { return file.starts_with(family); });
}

}  // namespace gridlock::record
