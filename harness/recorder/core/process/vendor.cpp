// Searches the libraries that follow the recorder in the loader's order, then those that were
// loaded privately (as Python loads NCCL).
#include "harness/recorder/core/process/vendor.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

#include "harness/recorder/core/process/handles.h"

namespace gridlock::recorder {
namespace {

struct Search {
  const char* stem;  // beginning of the library's file name
  std::array<char, PATH_MAX> path;
};

int visit(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* file = slash == nullptr ? info->dlpi_name : slash + 1;
  if (std::strncmp(file, search->stem, std::strlen(search->stem)) != 0) return 0;
  const std::size_t length = std::strlen(info->dlpi_name);
  if (length >= search->path.size()) return 0;
  std::memcpy(search->path.data(), info->dlpi_name, length + 1);
  return 1;
}

void* find(const char* name, const char* stem) {
  if (void* function = dlsym(RTLD_NEXT, name)) return function;
  Search search{.stem = stem, .path = {}};
  if (dl_iterate_phdr(visit, &search) == 0) return nullptr;
  // Not during the walk, which holds a loader lock that another thread's dlopen takes last.
  void* library = dlopen(search.path.data(), RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : symbol_of(library, name);
}

// The call returns ncclInvalidUsage, which does not say why. Once, also if the program calls again.
void say_too_old(const char* name) {
  static std::atomic<const char*> last = nullptr;
  auto* version_of = reinterpret_cast<int (*)(int*)>(find("pncclGetVersion", "libnccl.so"));
  const char* before = last.exchange(name, std::memory_order_relaxed);
  if (version_of == nullptr || (before != nullptr && std::strcmp(before, name) == 0)) return;
  int version = 0;
  version_of(&version);
  std::array<char, 160> text{};
  const int length = std::snprintf(text.data(), text.size(),
                                   "gridlock: NCCL %d.%d.%d has no %s; the call returns "
                                   "ncclInvalidUsage\n",
                                   version / 10000, version / 100 % 100, version % 100, name);
  static_cast<void>(write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length)));
}

}  // namespace

void* find_nccl(const char* name) {
  void* function = find(name, "libnccl.so");
  if (function == nullptr && name[0] == 'p') say_too_old(name + 1);  // the p of PMPI's names
  return function;
}

void* find_cuda(const char* name) {
  void* function = find(name, "libcudart");
  return function != nullptr ? function : find(name, "libgridlock_cuda");  // the simulation's
}

void* find_mpi(const char* name) { return find(name, "libmpi"); }

const char* backend() {
  if (find_cuda("simLaunch") == nullptr) return "cuda";
  return find_nccl("simOwnNccl") != nullptr ? kSimulated.data() : "simnccl";
}

}  // namespace gridlock::recorder
